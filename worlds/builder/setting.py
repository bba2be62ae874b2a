"""The setting of a world: places with their members, calendars, bases with tables and records, spaces with pages."""

from __future__ import annotations

from typing import Any

from soundstage.worlds.builder.drafts import Draft, Plan
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.forms import TraceError, known, needed
from soundstage.worlds.builder.pages import add_page
from soundstage.worlds.builder.records import add_record
from soundstage.worlds.builder.spec import Sources
from soundstage.worlds.builder.traces import Traces


def add_places(plan: Plan, sources: Sources) -> None:
    """Add chats and channels with their members, a calendar for each person, and shared calendars."""
    _places(plan, sources)
    _calendars(plan, sources)


def add_things(plan: Plan, sources: Sources, traces: Traces) -> None:
    """Add bases with their tables, columns and records."""
    _bases(plan, sources, traces)


def _places(plan: Plan, sources: Sources) -> None:
    spec = sources.spec
    for key, place in spec.places.items():
        where = sources.place("places", key)
        created = spec.moment(place.created)
        owner = _person(plan, place.owner, sources.place("places", key, "owner")) if place.owner else None
        members: list[Draft] = []
        for i, name in enumerate(place.members):
            members += _group(plan, name, sources.place("places", key, "members", i))
        left_out = set(place.without)
        members = [m for m in dict.fromkeys(members) if m.key not in left_out]
        for member in members:
            if place.app not in member.values["accounts"]:
                plan.refuse(where, f"{member.key} has no account in {place.app}, which membership needs")
        former = [_person(plan, n, sources.place("places", key, "former", i)) for i, n in enumerate(place.former)]
        bots = [bot for name in place.bots if (bot := plan.find(name, "bot"))]
        for i, name in enumerate(place.bots):
            if plan.find(name, "bot") is None:
                plan.refuse(sources.place("places", key, "bots", i), f"{name!r} is no bot of the spec")
        if owner is not None and owner not in members:
            plan.refuse(where, f"the owner {owner.key} is not among the members")
        draft = plan.add(
            Draft(
                "place",
                key,
                place.app,
                created,
                {
                    "name": place.name,
                    "text": place.text,
                    "topic": place.topic,
                    "private": place.private,
                    "archived": place.archived,
                    "read": spec.moment(place.read) if place.read else spec.epoch_ms,
                    "form": place.form,
                    "owner": owner,
                    "members": members,
                    "former": former,
                    "bots": bots,
                    "topics": place.topics,
                    "share": place.share,
                    "languages": place.languages,
                    "also": place.also,
                    "listed": place.form == "group",
                },
                where,
            )
        )
        for member in members:
            if place.form != "group":
                continue
            joined = max(created, member.at)
            if member.values["starts"]:
                joined = max(joined, created)
            key_ = f"{key}/{member.key}"
            plan.add(Draft("member", key_, place.app, joined, {"place": draft, "person": member}, where))


def add_made_up_places(plan: Plan, sources: Sources, topics: list[str]) -> None:
    """Add places that the spec names by their number alone."""
    spec = sources.spec
    for app, wanted in spec.sizes.places.items():
        people = [p for p in plan.of_kind("person", app) if p.values["standing"] == "active"]
        for number in range(wanted):
            draw = Draw(spec.seed, "place", app, number)
            topic = topics[number % len(topics)]
            members = draw.sample(people, draw.weighted([(8, 40), (20, 40), (60, 20)]))
            owner = draw.choice(members)
            key = f"{topic}_{number // len(topics) + 1}"
            created = max(spec.begin_ms - draw.between(1, 300) * 86_400_000, owner.at)
            values = {
                "name": f"{topic.capitalize()} {number // len(topics) + 1}", "text": "", "form": "group", "owner": owner,
                "members": members, "former": [], "bots": [], "topics": [topic, draw.choice(topics)], "share": len(members),
                "languages": ["en", "zh", "mixed"], "also": {}, "listed": True,
            }  # fmt: skip
            where = sources.place("sizes", "places")
            place = plan.add(Draft("place", key, app, created, values, where))
            for member in members:
                at = max(created, member.at)
                plan.add(Draft("member", f"{key}/{member.key}", app, at, {"place": place, "person": member}, where))


def _group(plan: Plan, name: str, where: str) -> list[Draft]:
    """Resolve a person's key, `team:design` or `everybody` to the people who belong to it."""
    present = [p for p in plan.of_kind("person") if p.values["standing"] == "active"]
    if name == "everybody":
        return present
    if name.startswith("team:"):
        members = [p for p in present if p.values["team"] == name.removeprefix("team:")]
        if not members:
            plan.refuse(where, f"nobody is in {name!r}")
        return members
    person = _person(plan, name, where)
    return [person] if person else []


def _person(plan: Plan, key: str, where: str) -> Draft | None:
    person = plan.find(key, "person")
    if person is None:
        plan.refuse(where, f"{key!r} is nobody of the cast")
    return person


def _calendars(plan: Plan, sources: Sources) -> None:
    spec = sources.spec
    for person in list(plan.of_kind("person", spec.home)):
        open_to_all = Draw(spec.seed, "calendar", person.key).percent(40)
        values: dict[str, Any] = {"owner": person, "title": person.values["name"], "text": "", "form": "primary"}
        values["open"] = open_to_all
        # A calendar comes with the account, so it has the person's key: `in: lin_yue` means Lin Yue's.
        plan.add(Draft("calendar", person.key, spec.home, person.at, values, person.where))
    for key, calendar in spec.calendars.items():
        where = sources.place("calendars", key)
        owner = _person(plan, calendar.owner, sources.place("calendars", key, "owner"))
        shared = {
            "owner": owner,
            "title": calendar.title,
            "text": calendar.text,
            "form": "shared",
            "also": calendar.also,
        }
        plan.add(Draft("calendar", key, calendar.app, spec.moment(calendar.created), {**shared, "open": True}, where))


def _bases(plan: Plan, sources: Sources, traces: Traces) -> None:
    spec = sources.spec
    for key, base in spec.bases.items():
        where = sources.place("bases", key)
        owner = _person(plan, base.owner, sources.place("bases", key, "owner"))
        created = spec.moment(base.created)
        draft = plan.add(
            Draft("base", key, base.app, created,
                  {"title": base.title, "text": base.text, "icon": base.icon, "owner": owner, "tables": [], "parent": None},
                  where)
        )  # fmt: skip
        for i, (name, table) in enumerate(base.tables.items()):
            at = created + i * 60_000
            table_draft = plan.add(
                Draft("table", f"{key}/{name}", base.app, at,
                      {"base": draft, "title": table.title, "view": table.view, "columns": []}, where)
            )  # fmt: skip
            draft.values["tables"].append(table_draft)
            for j, column in enumerate(table.columns):
                place = sources.place("bases", key, "tables", name, "columns", j)
                try:
                    known(column, "name", "type", "options", "groups", "colors", "into", "time", "many")
                    needed(column, "name")
                except TraceError as error:
                    plan.refuse(place, str(error))
                    continue
                values = {"table": table_draft, "first": j == 0, "type": "text", **column}
                column_draft = Draft("column", f"{key}/{name}/{column['name']}", base.app, at + j, values, where)
                _choices(column_draft)
                table_draft.values["columns"].append(plan.add(column_draft))
        draft.values["first_table"] = draft.values["tables"][0]
        traces.share(draft, base.share, where)
    # Only now are all tables there that a column or a record may link into.
    for of_column in plan.of_kind("column"):
        if of_column.values["type"] == "records":
            of_column.values["target"] = plan.find(str(of_column.values.get("into")), "table")
            if of_column.values["target"] is None:
                plan.refuse(of_column.where, f"{of_column.key}: `into` names no table")
    for key, base in spec.bases.items():
        for name, table in base.tables.items():
            for i, record in enumerate(table.records):
                place = sources.place("bases", key, "tables", name, "records", i)
                add_record(traces, {"in": f"{key}/{name}", **record}, None, place)


def _choices(column: Draft) -> None:
    """Turn the options of a column into drafts; `groups` name and contain the options of a status."""
    grouped = column.values.get("groups", {})
    names = column.values.setdefault("options", [name for group in grouped.values() for name in group])
    colors = column.values.get("colors", [])
    choices = [
        Draft("option", f"{column.key}/{name}", column.app, column.at,
              {"name": name, "number": i, "color": colors[i] if i < len(colors) else None})
        for i, name in enumerate(names)
    ]  # fmt: skip
    column.values["choices"] = choices
    column.values["grouped"] = [
        {"key": f"{column.key}/{name}", "name": name, "options": [c for c in choices if c.values["name"] in group]}
        for name, group in grouped.items()
    ]


def add_spaces(plan: Plan, sources: Sources, traces: Traces) -> None:
    """Add spaces with their pages; the documents that they contain must exist."""
    spec = sources.spec
    for key, space in spec.spaces.items():
        where = sources.place("spaces", key)
        owner = _person(plan, space.owner, sources.place("spaces", key, "owner"))
        draft = plan.add(
            Draft("space", key, space.app, spec.moment(space.created),
                  {"title": space.title, "text": space.text, "owner": owner}, where)
        )  # fmt: skip
        parents: dict[str, str | None] = {}
        for i, page in enumerate(space.pages):
            place = sources.place("spaces", key, "pages", i)
            if "of" not in page:
                add_page(traces, draft, page, place)
                continue
            try:
                known(page, "of", "under", "by")
            except TraceError as error:
                plan.refuse(place, str(error))
                continue
            name = str(page["of"])
            parents[name] = page.get("under")
            of = plan.find(name, "document", "base")
            if of is None:
                plan.refuse(place, f"{name!r} is no document or base")
                continue
            above = plan.find(f"{key}/{page['under']}", "page") if page.get("under") else None
            if page.get("under") and above is None:
                plan.refuse(
                    place, f"{page['under']!r} is no page above this one" + _circle(page["under"], name, space.pages)
                )
            values = {
                "space": draft,
                "of": of,
                "parent": above,
                "owner": of.values["owner"],
                "title": of.values["title"],
            }
            values["edited"] = of.values.get("edited", of.at)
            values["creator"] = plan.find(str(page["by"]), "person") if "by" in page else of.values["owner"]
            made = max(of.at + 45_000, above.at + 1000 if above else 0, draft.at)
            plan.add(Draft("page", f"{key}/{name}", space.app, made, values, place))

    for key, base in spec.bases.items():
        if base.under is not None:
            parent = plan.drafts["base"][key].values["parent"] = plan.find(base.under, "page")
            if parent is None:
                plan.refuse(sources.place("bases", key, "under"), f"{base.under!r} is no page")


def _circle(start: Any, name: str, pages: list[dict[str, Any]]) -> str:
    """Return a remark if pages are below each other in a cycle."""
    under = {page.get("of"): page.get("under") for page in pages}
    seen: list[Any] = [name]
    current: Any = start
    while current is not None and current not in seen:
        seen.append(current)
        current = under.get(current)
    return f": circular parents {' → '.join(map(str, [*seen, current]))}" if current is not None else ""
