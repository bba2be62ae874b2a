"""163 Mail in a world: a `mail` is a message in an inbox."""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

ROWS = {
    "mailbox": Rows(
        made_from="person",
        columns={
            "address": fill.of("account.address"),
            "provider": fill.of("account.provider", otherwise="163"),
            "code": fill.random("{upper:16}"),
        },
    ),
    "account": Rows(
        made_from="self",
        columns={
            "user": fill.of("person.account.address"),
            "password": fill.cell("person", "code"),
            "provider": fill.of("person.account.provider", otherwise="163"),
        },
    ),
    "setting": Rows(),
    "email": Rows(
        made_from="mail",
        columns={
            "uid": fill.of("number"),
            "mailbox": fill.key("mailbox"),
            "date": fill.moment("at", "mail"),
            "text": fill.text(link="{url}"),
            "attachments": fill.case("files", {"present": fill.of("files")}),
        },
    ),
    "sent": Rows(made_from="sent"),
}
