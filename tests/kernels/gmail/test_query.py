"""Gmail's search syntax, operator by operator as Google lists them: https://support.google.com/mail/answer/7190.

One mailbox of a theatre's stage manager, Ida Lund in Stockholm, at noon on 10 March 2026 there.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

NOON = "2026-03-10T11:00:00Z"
LABELS = [
    {"id": "Label_1", "name": "Crew/Night shift", "type": "user"},
    {"id": "Label_2", "name": "Money", "type": "user"},
    {"id": "Label_3", "name": "Crew", "type": "user"},
]


def mail(
    name: str,
    at: int,
    *labels: str,
    text: str = "",
    html: str = "",
    size: int = 4000,
    files: tuple[str, ...] = (),
    **headers: str,
) -> dict[str, Any]:
    """Return a message whose subject starts with its `name`; `at` is in seconds since 1970."""
    kind, body = ("text/html", html) if html else ("text/plain", text)
    shown = {"Subject": name, "From": "Nils Berg <nils@floors.test>", "To": "ida@mail.test"}
    shown |= {key.replace("_", "-"): value for key, value in headers.items()}
    parts = [{"mimeType": kind, "body": {"data": base64.urlsafe_b64encode(body.encode()).decode()}}]
    parts += [{"mimeType": "x/y", "filename": f, "body": {"attachmentId": f, "size": 9}} for f in files]
    header_list = [{"name": key, "value": value} for key, value in shown.items()]
    return {
        "id": f"{at:x}",
        "threadId": f"{at:x}",
        "labelIds": list(labels),
        "internalDate": str(at * 1000),
        "sizeEstimate": size,
        "payload": {"mimeType": "multipart/mixed", "headers": header_list, "parts": parts},
    }


MAILS = [
    mail("oak", 1772000001, "INBOX", "UNREAD", text="The oak boards are booked for the premiere.",
         Message_ID="<oak.1@floors.test>"),
    mail("Oak bill", 1772500002, "INBOX", "Label_2", "CATEGORY_UPDATES", text="Invoices attached.", size=3 * 1024 * 1024,
         From="Accounts <bills@floors.test>", files=("bill-77.pdf", "terms.docx")),
    mail("lamps", 1772600003, "Label_1", "STARRED", "IMPORTANT",
         text="Two lamps, dinner on Friday. See https://docs.google.com/spreadsheets/d/1",
         From="Amy Ho <amy@light.test>", Cc="Bo Ek <bo@crew.test>"),
    mail("rehearsal", 1772700004, "SENT", text="See you at eight.", From="Ida Lund <ida@mail.test>",
         To="amy@light.test, crew@lists.test", Bcc="secret@crew.test"),
    mail("digest", 1772800005, "INBOX", "CATEGORY_PROMOTIONS", html="<p>Half <b>price</b> &amp; more https://youtu.be/x</p>",
         From="Shop <shop@sale.test>", List_ID="Riggers <riggers.lists.test>", files=("Spring Sale.PNG",)),
    mail("card", 1772900006, "SPAM", text="win a premiere", Delivered_To="ida+win@mail.test"),
    mail("old draft", 1772900007, "DRAFT", text="not yet", From="ida@mail.test", To=""),
    mail("thrown away", 1772900008, "TRASH", text="premiere flyers"),
    mail("排练", 1773100009, "INBOX", "CATEGORY_SOCIAL", "Label_3", text="明天下午排练，请带上剧本。",
         From="李芳 <lifang@crew.test>"),
]  # fmt: skip


@pytest.fixture
def find(new_session: Callable[..., Session]) -> Callable[[str], list[str]]:
    """Return the subjects of the messages that a query finds."""
    session = new_session(at=NOON)
    account = {"emailAddress": "ida@mail.test", "timeZone": "Europe/Stockholm"}
    with session.context.step("state", "state", None):
        state.load(session.context, {"gmail": {"account": [account], "label": LABELS, "message": MAILS}})

    def search(query: str) -> list[str]:
        made = dispatch(session, load_app("gmail"), "search_emails", {"query": query, "maxResults": 50})
        text = made.reply["content"][0]["text"] if made.reply else ""
        return [line.removeprefix("Subject: ") for line in text.split("\n") if line.startswith("Subject: ")]

    return search


IN_THE_OPEN = ["排练", "old draft", "digest", "rehearsal", "lamps", "Oak bill", "oak"]


@pytest.mark.parametrize(
    ("query", "subjects"),
    [
        ("", IN_THE_OPEN),
        # from, to, cc, bcc
        ("from:amy", ["lamps"]),
        ("from:floors.test", ["Oak bill", "oak"]),
        ("from:bills@floors.test", ["Oak bill"]),
        ('from:"Nils Berg"', ["oak"]),
        ("from:me", ["old draft", "rehearsal"]),
        ("from:nil", []),
        ("FROM:AMY", ["lamps"]),
        ("from:李芳", ["排练"]),
        ("to:amy@light.test", ["rehearsal"]),
        ("to:me", ["排练", "digest", "lamps", "Oak bill", "oak"]),
        ("to:bo", ["lamps"]),
        ("to:secret", ["rehearsal"]),
        ("cc:bo@crew.test", ["lamps"]),
        ("cc:amy", []),
        ("bcc:secret@crew.test", ["rehearsal"]),
        ("bcc:bo", []),
        # subject, words, phrases
        ("subject:oak", ["Oak bill", "oak"]),
        ("subject:booked", []),
        ("subject:(oak bill)", ["Oak bill"]),
        ('subject:"oak bill"', ["Oak bill"]),
        ('subject:"bill oak"', []),
        ("subject:{oak lamps}", ["lamps", "Oak bill", "oak"]),
        ("subject:-oak", ["Oak bill", "oak"]),
        ("subject:", IN_THE_OPEN),
        ("boards booked", ["oak"]),
        ('"oak boards"', ["oak"]),
        ('"boards oak"', []),
        ('"oak', ["Oak bill", "oak"]),
        ("排练", ["排练"]),
        ("下午", ["排练"]),
        ("午下", []),
        ("price", ["digest"]),
        ("flyers", []),
        ("terms", ["Oak bill"]),
        # inflections of a word, and exact words
        ("invoice", ["Oak bill"]),
        ("booking", ["oak"]),
        ("+invoice", []),
        ("+invoices", ["Oak bill"]),
        ('"invoice"', []),
        ("OAK", ["Oak bill", "oak"]),
        # or, and, not, groups
        ("from:amy OR from:shop", ["digest", "lamps"]),
        ("from:amy | from:shop", ["digest", "lamps"]),
        ("from:amy or from:shop", []),
        ("{from:amy from:shop}", ["digest", "lamps"]),
        ("{from:amy OR from:shop}", ["digest", "lamps"]),
        ("from:floors.test AND invoice", ["Oak bill"]),
        ("in:inbox from:shop OR from:amy", ["digest"]),
        ("(in:inbox from:shop) OR from:amy", ["digest", "lamps"]),
        ("oak OR lamps OR digest", ["digest", "lamps", "Oak bill", "oak"]),
        ("oak -bill", ["oak"]),
        ("oak -{bill lamps}", ["oak"]),
        ("oak -(bill invoices)", ["oak"]),
        ("oak -subject:bill", ["oak"]),
        ("-in:inbox", ["old draft", "rehearsal", "lamps"]),
        ("from:(amy OR shop)", ["digest", "lamps"]),
        ("from:(nils -bills)", ["oak"]),
        ("oak )", ["Oak bill", "oak"]),
        ("(oak", ["Oak bill", "oak"]),
        ("oak OR", ["Oak bill", "oak"]),
        ("OR oak", ["Oak bill", "oak"]),
        ("oak -", ["Oak bill", "oak"]),
        ("{}", IN_THE_OPEN),
        # AROUND
        ("oak AROUND 3 booked", ["oak"]),
        ("oak AROUND 1 booked", []),
        ("booked AROUND 3 oak", ["oak"]),
        ('"oak AROUND 3 booked"', ["oak"]),
        ('"booked AROUND 3 oak"', []),
        ("oak AROUND booked", ["oak"]),
        ('"oak boards" AROUND 1 booked', ["oak"]),
        # days start in the account's time zone
        ("after:2026/03/03", ["排练", "old draft", "digest", "rehearsal", "lamps", "Oak bill"]),
        ("after:2026/03/04", ["排练", "old draft", "digest", "rehearsal", "lamps"]),
        ("newer:2026-03-04", ["排练", "old draft", "digest", "rehearsal", "lamps"]),
        ("after:03/04/2026", ["排练", "old draft", "digest", "rehearsal", "lamps"]),
        ("before:2026/03/04", ["Oak bill", "oak"]),
        ("older:2026/3/4", ["Oak bill", "oak"]),
        ("before:2026/03/03", ["oak"]),
        ("after:1772500002 before:1772600003", ["Oak bill"]),
        ("after:yesterday", []),
        ("before:2026/13/40", []),
        ("newer_than:2d", ["排练"]),
        ("newer_than:3d", ["排练", "old draft"]),
        ("older_than:3d", ["digest", "rehearsal", "lamps", "Oak bill", "oak"]),
        ("newer_than:1m", IN_THE_OPEN),
        ("older_than:1m", []),
        ("older_than:1y", []),
        ("newer_than:1y", IN_THE_OPEN),
        ("newer_than:2w", []),
        # labels, places, states, categories
        ("label:crew-night-shift", ["lamps"]),
        ('label:"Crew/Night shift"', ["lamps"]),
        ("label:crew", ["排练"]),
        ("label:MONEY", ["Oak bill"]),
        ("label:inbox", ["排练", "digest", "Oak bill", "oak"]),
        ("label:unknown", []),
        ("in:inbox", ["排练", "digest", "Oak bill", "oak"]),
        ("in:sent", ["rehearsal"]),
        ("in:drafts", ["old draft"]),
        ("in:draft", ["old draft"]),
        ("in:spam", ["card"]),
        ("in:trash", ["thrown away"]),
        ("in:anywhere premiere", ["thrown away", "card", "oak"]),
        ("label:spam", ["card"]),
        ("premiere {in:spam in:inbox}", ["card", "oak"]),
        ("-in:trash premiere", ["oak"]),
        ("in:archive", ["lamps"]),
        ("in:money", ["Oak bill"]),
        ("in:snoozed", []),
        ("is:unread", ["oak"]),
        ("is:read in:inbox", ["排练", "digest", "Oak bill"]),
        ("is:starred", ["lamps"]),
        ("is:important", ["lamps"]),
        ("is:muted", []),
        ("is:snoozed", []),
        ("is:sent", ["rehearsal"]),
        ("is:unknown", []),
        ("category:promotions", ["digest"]),
        ("category:updates", ["Oak bill"]),
        ("category:social", ["排练"]),
        ("category:forums", []),
        ("category:primary", ["oak"]),
        ("category:purchases", []),
        # contents of a message
        ("has:attachment", ["digest", "Oak bill"]),
        ("has:document", ["Oak bill"]),
        ("has:spreadsheet", ["lamps"]),
        ("has:presentation", []),
        ("has:pdf", ["Oak bill"]),
        ("has:drive", ["lamps"]),
        ("has:youtube", ["digest"]),
        ("has:image", ["digest"]),
        ("has:userlabels", ["排练", "lamps", "Oak bill"]),
        ("has:nouserlabels", ["old draft", "digest", "rehearsal", "oak"]),
        ("has:yellow-star", ["lamps"]),
        ("has:red-star", []),
        ("has:unknown", []),
        ("filename:pdf", ["Oak bill"]),
        ("filename:.pdf", ["Oak bill"]),
        ("filename:bill-77.pdf", ["Oak bill"]),
        ("filename:spring", ["digest"]),
        ('filename:"Spring Sale.png"', ["digest"]),
        ("filename:xls", []),
        ("list:riggers.lists.test", ["digest"]),
        ("list:crew@lists.test", ["rehearsal"]),
        ("list:rigger", []),
        ("deliveredto:ida+win@mail.test in:anywhere", ["card"]),
        ("deliveredto:ida@mail.test in:inbox", ["排练", "digest", "Oak bill", "oak"]),
        ("deliveredto:ida@mail.test in:sent", []),
        # sizes
        ("larger:3000000", ["Oak bill"]),
        ("larger:2M", ["Oak bill"]),
        ("larger:3M", []),
        ("size:3M", ["Oak bill"]),
        ("size:3145728", ["Oak bill"]),
        ("size:3145729", []),
        ("smaller:3M", ["排练", "old draft", "digest", "rehearsal", "lamps", "oak"]),
        ("smaller:4k", ["排练", "old draft", "digest", "rehearsal", "lamps", "oak"]),
        ("smaller:4000", []),
        ("larger:much", []),
        ("smaller:little", []),
        # single messages, and unknown operators
        ("rfc822msgid:oak.1@floors.test", ["oak"]),
        ("rfc822msgid:<oak.1@floors.test>", ["oak"]),
        ("rfc822msgid:oak.2@floors.test", []),
        ("friday:dinner", []),
        ("dinner:on", ["lamps"]),
        ("subject:from:amy", []),
    ],
)  # fmt: skip
def test_a_query_finds(find: Callable[[str], list[str]], query: str, subjects: list[str]) -> None:
    assert find(query) == subjects


def test_deeply_nested_groups_can_be_parsed(find: Callable[[str], list[str]]) -> None:
    assert find("(" * 3000 + "oak" + ")" * 3000) in (IN_THE_OPEN, ["Oak bill", "oak"])
    assert find("-" * 500 + "oak") in (["Oak bill", "oak"], [s for s in IN_THE_OPEN if "oak" not in s.lower()])


def test_a_day_is_the_accounts_own(new_session: Callable[..., Session]) -> None:
    """23:30 UTC on 2 March is 3 March in Stockholm, and still 2 March in Lisbon."""
    results = {}
    for zone in ("Europe/Stockholm", "Europe/Lisbon", "nowhere"):
        session = new_session(at=NOON)
        account = {"emailAddress": "ida@mail.test", "timeZone": zone}
        with session.context.step("state", "state", None):
            state.load(
                session.context, {"gmail": {"account": [account], "message": [mail("late", 1772494200, "INBOX")]}}
            )
        made = dispatch(session, load_app("gmail"), "search_emails", {"query": "after:2026/03/03"})
        assert made.reply is not None
        results[zone] = "late" in made.reply["content"][0]["text"]
    assert results == {"Europe/Stockholm": True, "Europe/Lisbon": False, "nowhere": False}
