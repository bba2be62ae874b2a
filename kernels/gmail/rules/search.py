"""Evaluation of search queries.

Gmail's documentation of operators (see `query`) leaves some cases open. Here, dates are days in the account's time zone,
`older_than` and `newer_than` count days, months and years back from now, sizes accept K and M (multiples of 1024), and an
operator with an unknown value matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.mail.headers import find_all
from soundstage.kernels.engines.mail.html import to_text
from soundstage.kernels.gmail.rules import labels, messages, words
from soundstage.kernels.gmail.rules.mailbox import Mailbox
from soundstage.kernels.gmail.rules.query import All, Any, Around, Node, Not, Operator, Words, operators, parse

_DATE = re.compile(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})|(\d{1,2})/(\d{1,2})/(\d{4})")
_AGE = re.compile(r"(\d{1,6})([dmy])")
_SIZE = re.compile(r"(\d{1,15})\s*([kmg]?)b?", re.I)
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}
_PLACES = {
    "inbox": "INBOX", "sent": "SENT", "draft": "DRAFT", "drafts": "DRAFT", "trash": "TRASH", "bin": "TRASH", "spam": "SPAM",
    "starred": "STARRED", "unread": "UNREAD", "important": "IMPORTANT", "chat": "CHAT", "chats": "CHAT",
}  # fmt: skip
_CATEGORIES = {
    "primary": "CATEGORY_PERSONAL", "social": "CATEGORY_SOCIAL", "promotions": "CATEGORY_PROMOTIONS",
    "updates": "CATEGORY_UPDATES", "forums": "CATEGORY_FORUMS",
}  # fmt: skip
_STARS = ("yellow-star", "orange-star", "red-star", "purple-star", "blue-star", "green-star", "red-bang", "orange-guillemet",
          "yellow-bang", "green-check", "blue-info", "purple-question")  # fmt: skip
_KINDS = {
    "document": ("docs.google.com/document", (".gdoc", ".doc", ".docx", ".odt", ".rtf")),
    "spreadsheet": ("docs.google.com/spreadsheets", (".gsheet", ".xls", ".xlsx", ".ods", ".csv")),
    "presentation": ("docs.google.com/presentation", (".gslides", ".ppt", ".pptx", ".odp")),
    "pdf": (None, (".pdf",)),
    "image": (None, (".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".bmp")),
    "video": (None, (".mp4", ".mov", ".avi", ".mkv", ".webm")),
}
_LINKS = {"drive": ("drive.google.com", "docs.google.com"), "youtube": ("youtube.com/watch", "youtu.be/")}
_HIDDEN = ("SPAM", "TRASH")


def search_messages(mailbox: Mailbox, query: str, now: datetime) -> list[Object]:
    """Return the messages that match a query, newest first; Spam and Trash are included only on request."""
    tree = parse(query)
    shown = _hidden_places(tree)
    look = _Look(mailbox, now)
    return [
        message
        for message in mailbox.newest()
        if not any(place in messages.labels(message) and place not in shown for place in _HIDDEN)
        and look.fits(tree, _Read(message))
    ]


def fits(mailbox: Mailbox, tree: Node, message: Object) -> bool:
    """Return whether a message matches a query, regardless of its folder."""
    return _Look(mailbox, mailbox.context.now()).fits(tree, _Read(message))


def _hidden_places(tree: Node) -> frozenset[str]:
    """Return which of Spam and Trash a query searches."""
    shown: set[str] = set()
    for operator in operators(tree):
        if operator.name in ("in", "label", "is"):
            value = operator.value.lower()
            shown |= set(_HIDDEN) if operator.name == "in" and value == "anywhere" else {_PLACES.get(value, "")}
    return frozenset(shown)


@dataclass(frozen=True)
class _Read:
    """A searchable message; expensive parts are computed once."""

    message: Object

    @cached_property
    def labels(self) -> list[str]:
        return messages.labels(self.message)

    @cached_property
    def moment(self) -> datetime:
        return messages.moment(self.message)

    @cached_property
    def files(self) -> list[str]:
        return [f.filename for f in messages.attachments(self.message)]

    @cached_property
    def body(self) -> str:
        plain, html = messages.contents(self.message)
        return plain or to_text(html)

    @cached_property
    def source(self) -> str:
        """Return plain text and raw HTML, for links."""
        return "\n".join(messages.contents(self.message))

    @cached_property
    def text(self) -> tuple[str, ...]:
        """Return the words in which plain words are searched."""
        entries = [self.header(name) for name in ("Subject", "From", "To", "Cc", "Bcc")]
        return words.split("\n".join((*entries, self.body, *self.files)))

    def header(self, name: str) -> str:
        return "\n".join(find_all(messages.headers(self.message), name))

    def has(self, value: str, text: str, *, exact: bool = False) -> bool:
        return bool(words.occurs(words.split(value), words.split(text), exact=exact))


class _Look:
    """The evaluation of queries on messages of one mailbox."""

    def __init__(self, mailbox: Mailbox, now: datetime) -> None:
        self._mailbox = mailbox
        self._now = now
        self._known = {_dashed(label["name"]): label["id"] for label in labels.listed(mailbox)}
        self._users = {label["id"] for label in labels.listed(mailbox) if label["type"] == "user"}

    def fits(self, node: Node, read: _Read) -> bool:
        match node:
            case All(inner=inner):
                return all(self.fits(part, read) for part in inner)
            case Any(inner=inner):
                return any(self.fits(part, read) for part in inner)
            case Not(inner=inner_node):
                return not self.fits(inner_node, read)
            case Words(text=text, exact=exact):
                wanted = words.split(text)
                return not wanted or bool(words.occurs(wanted, read.text, exact=exact))
            case Around():
                return _near(node, read)
            case Operator(name=name, value=value):
                return _TESTS[name](self, read, value)

    def sender(self, read: _Read, value: str) -> bool:
        return self._person(read, value, ("From",))

    def recipient(self, read: _Read, value: str) -> bool:
        return self._person(read, value, ("To", "Cc", "Bcc"))

    def copied(self, read: _Read, value: str) -> bool:
        return self._person(read, value, ("Cc",))

    def hidden_copy(self, read: _Read, value: str) -> bool:
        return self._person(read, value, ("Bcc",))

    def subject(self, read: _Read, value: str) -> bool:
        return read.has(value, read.header("Subject"))

    def after(self, read: _Read, value: str) -> bool:
        day = self._moment(value)
        return day is not None and read.moment >= day

    def before(self, read: _Read, value: str) -> bool:
        day = self._moment(value)
        return day is not None and read.moment < day

    def newer_than(self, read: _Read, value: str) -> bool:
        bound = self._ago(value)
        return bound is not None and read.moment >= bound

    def older_than(self, read: _Read, value: str) -> bool:
        bound = self._ago(value)
        return bound is not None and read.moment < bound

    def label(self, read: _Read, value: str) -> bool:
        """Match a label by name; `/`, spaces and other characters may be written as `-`."""
        wanted = _dashed(value)
        label_id = self._known.get(wanted) or _PLACES.get(wanted)
        return label_id in read.labels

    def category(self, read: _Read, value: str) -> bool:
        """Match a category tab; inbox messages without a category are primary."""
        name = value.lower()
        if name == "primary" and not any(label.startswith("CATEGORY_") for label in read.labels):
            return "INBOX" in read.labels
        return _CATEGORIES.get(name) in read.labels

    def place(self, read: _Read, value: str) -> bool:
        name = value.lower()
        if name in ("anywhere", "all"):
            return True
        if name == "archive":
            return not {"INBOX", "TRASH", "SPAM", "SENT", "DRAFT"} & set(read.labels)
        return self.label(read, value)

    def state(self, read: _Read, value: str) -> bool:
        name = value.lower()
        if name == "read":
            return "UNREAD" not in read.labels
        return _PLACES.get(name) in read.labels

    def has(self, read: _Read, value: str) -> bool:
        name = value.lower()
        if name == "attachment":
            return bool(read.files)
        if name in ("userlabels", "nouserlabels"):
            return bool(self._users & set(read.labels)) == (name == "userlabels")
        if name in _STARS:  # the API exposes only one kind of star
            return name == "yellow-star" and "STARRED" in read.labels
        if name in _LINKS:
            return any(link in read.source for link in _LINKS[name])
        if name in _KINDS:
            link, endings = _KINDS[name]
            return any(f.lower().endswith(endings) for f in read.files) or bool(link and link in read.source)
        return False

    def mailing_list(self, read: _Read, value: str) -> bool:
        text = "\n".join(read.header(name) for name in ("List-ID", "List-Post", "Mailing-List", "To", "From"))
        return read.has(value, text, exact=True)

    def filename(self, read: _Read, value: str) -> bool:
        """Match a file by its name, by words of it, or by its extension."""
        wanted = value.lower()
        return any(
            f.lower() == wanted or f.lower().endswith(f".{wanted.lstrip('.')}") or read.has(value, f)
            for f in read.files
        )

    def delivered_to(self, read: _Read, value: str) -> bool:
        text = read.header("Delivered-To") or ("" if "SENT" in read.labels else self._mailbox.address)
        return value.lower() in text.lower()

    def larger(self, read: _Read, value: str) -> bool:
        size = _bytes(value)
        return size is not None and int(read.message.get("sizeEstimate") or 0) > size

    def at_least(self, read: _Read, value: str) -> bool:
        size = _bytes(value)
        return size is not None and int(read.message.get("sizeEstimate") or 0) >= size

    def smaller(self, read: _Read, value: str) -> bool:
        size = _bytes(value)
        return size is not None and int(read.message.get("sizeEstimate") or 0) < size

    def message_id(self, read: _Read, value: str) -> bool:
        return read.header("Message-ID").strip(" <>") == value.strip(" <>")

    def _person(self, read: _Read, value: str, fields: tuple[str, ...]) -> bool:
        text = "\n".join(read.header(name) for name in fields)
        if value.lower() == "me":
            return self._mailbox.address.lower() in text.lower()
        return read.has(value, text, exact=True)

    def _moment(self, value: str) -> datetime | None:
        """Return the start of a day in the account's time zone, or a time in seconds since 1970; None for other values."""
        if value.isdecimal() and len(value) >= 5:
            return _at(lambda: datetime.fromtimestamp(int(value), self._mailbox.zone))
        if (match := _DATE.fullmatch(value)) is None:
            return None
        year, month, day = (match[1], match[2], match[3]) if match[1] else (match[6], match[4], match[5])
        return _at(lambda: datetime(int(year), int(month), int(day), tzinfo=self._mailbox.zone))

    def _ago(self, value: str) -> datetime | None:
        """Return the time a number of days, months or years ago, or None if the value is invalid."""
        if (match := _AGE.fullmatch(value.lower())) is None:
            return None
        count, unit = int(match[1]), match[2]
        if unit == "d":
            return _at(lambda: self._now - timedelta(days=count))
        months = self._now.year * 12 + self._now.month - 1 - count * (12 if unit == "y" else 1)
        year, month = divmod(months, 12)
        day = min(self._now.day, 28) if self._now.day > 28 else self._now.day
        return _at(lambda: self._now.replace(year=year, month=month + 1, day=day))


_TESTS: Mapping[str, Callable[[_Look, _Read, str], bool]] = {
    "from": _Look.sender, "to": _Look.recipient, "cc": _Look.copied, "bcc": _Look.hidden_copy, "subject": _Look.subject,
    "after": _Look.after, "newer": _Look.after, "before": _Look.before, "older": _Look.before,
    "newer_than": _Look.newer_than, "older_than": _Look.older_than, "label": _Look.label, "category": _Look.category,
    "in": _Look.place, "is": _Look.state, "has": _Look.has, "list": _Look.mailing_list, "filename": _Look.filename,
    "deliveredto": _Look.delivered_to, "size": _Look.at_least, "larger": _Look.larger,
    "smaller": _Look.smaller, "rfc822msgid": _Look.message_id,
}  # fmt: skip


def _near(node: Around, read: _Read) -> bool:
    left, right = words.split(node.left), words.split(node.right)
    behind = [i + len(left) for i in words.occurs(left, read.text, exact=False)]
    starts = words.occurs(right, read.text, exact=False)
    if any(0 <= start - end <= node.distance for end in behind for start in starts):
        return True
    before = [] if node.ordered else [i + len(right) for i in starts]
    return any(0 <= end - len(left) - other <= node.distance for other in before for end in behind)


def _dashed(name: str) -> str:
    return re.sub(r"[\s/&\-_.]+", "-", name.strip().lower())


def _bytes(value: str) -> int | None:
    match = _SIZE.fullmatch(value.strip())
    return None if match is None else int(match[1]) * _UNITS[match[2].lower()]


def _at(made: Callable[[], datetime]) -> datetime | None:
    try:
        return made()
    except (ValueError, OverflowError, OSError):
        return None
