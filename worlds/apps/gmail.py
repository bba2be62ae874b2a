"""Gmail in a world.

A `mail` is a message in a mailbox: that of the main account, or of the account in `mailbox`. `thread` and `answers` refer to
other messages, `in` lists its labels by id, `html` replaces the text, and `files` are attachments.
"""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

_TEXT = fill.text(link="{url}")


def _header(name: str, attribute: str) -> fill.Filler:
    return fill.case(attribute, {"present": fill.shape(name=name, value=fill.of(attribute))})


def _message_id(of: str) -> fill.Filler:
    return fill.form("<CA{id}@mail.gmail.example>", id=fill.key(of))


def _answering(name: str) -> fill.Filler:
    return fill.case("answers", {"present": fill.shape(name=name, value=_message_id("answers"))})


_HEADERS = fill.several(
    fill.shape(name="From", value=fill.of("from")),
    _header("To", "to"),
    _header("Cc", "cc"),
    fill.shape(name="Subject", value=fill.of("subject")),
    fill.shape(name="Date", value=fill.moment("at", "mail")),
    fill.shape(name="Message-ID", value=_message_id("self")),
    _answering("In-Reply-To"),
    _answering("References"),
    _header("List-ID", "list"),
)
_PLAIN_BODY = fill.shape(size=fill.of("text.bytes"), data=fill.encoded(_TEXT))
_HTML_BODY = fill.shape(data=fill.encoded(fill.of("html")))
_FILE = fill.shape(
    mimeType=fill.of("it.mimeType"),
    filename=fill.of("it.filename"),
    headers=fill.always([]),
    body=fill.shape(attachmentId=fill.key("it"), size=fill.of("it.size", otherwise=fill.of("it.text.bytes"))),
)
_TEXT_PART = fill.shape(partId="0", mimeType="text/plain", filename="", headers=fill.always([]), body=_PLAIN_BODY)


def _payload(mime_type: str, **rest: fill.Filler) -> fill.Filler:
    return fill.shape(partId="", mimeType=mime_type, filename="", headers=_HEADERS, **rest)


_WITH_FILES = _payload(
    "multipart/mixed", body=fill.shape(size=0), parts=fill.several(_TEXT_PART, fill.items("files", _FILE))
)
_SIMPLE = fill.case(
    "html", {"present": _payload("text/html", body=_HTML_BODY)}, _payload("text/plain", body=_PLAIN_BODY)
)

ROWS = {
    "account": Rows(
        made_from="person",
        columns={
            "emailAddress": fill.of("account.address"),
            "name": fill.of("latin"),
            # The scopes of the server's own login, which does not allow permanent deletion.
            "scopes": fill.always(
                [
                    "https://www.googleapis.com/auth/gmail.modify",
                    "https://www.googleapis.com/auth/gmail.settings.basic",
                ]
            ),
            "timeZone": fill.of("zone"),
            "forwardingAddresses": fill.several(fill.of("email")),
        },
    ),
    "credentials": Rows(made_from="self", columns={"emailAddress": fill.of("person.account.address")}),
    "setting": Rows(),
    "label": Rows(
        columns={
            "mailbox": fill.key("mailbox"),
            "name": fill.of("title"),
            "type": fill.always("user"),
            "messageListVisibility": fill.of("messages", otherwise="show"),
            "labelListVisibility": fill.of("list", otherwise="labelShow"),
        }
    ),
    "message": Rows(
        made_from="mail",
        columns={
            "mailbox": fill.key("mailbox"),
            "threadId": fill.case("thread", {"present": fill.key("thread")}, fill.key("self")),
            "labelIds": fill.of("in"),
            "snippet": fill.shortened(fill.case("html", {"present": fill.of("about", otherwise="")}, _TEXT), 200),
            "internalDate": fill.moment("at", "ms"),
            "sizeEstimate": fill.of("size", otherwise=fill.of("text.bytes")),
            "historyId": fill.moment("at", "s"),
            "payload": fill.case("files", {"present": _WITH_FILES}, _SIMPLE),
        },
    ),
    "draft": Rows(
        columns={
            "mailbox": fill.key("mailbox"),
            "message": fill.shape(
                id=fill.key("of"), threadId=fill.cell("of", "threadId"), labelIds=fill.always(["DRAFT"])
            ),
        }
    ),
    "attachment": Rows(
        columns={
            "messageId": fill.key("of"),
            "size": fill.of("size", otherwise=fill.of("text.bytes")),
            "data": fill.encoded(fill.text()),
        }
    ),
    "filter": Rows(
        columns={
            "mailbox": fill.key("mailbox"),
        }
    ),
}
