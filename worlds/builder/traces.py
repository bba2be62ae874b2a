"""Traces: the things that a storyline's beat creates. Specs use the same notation for all other things.

Threads, events, tasks and documents are built in; `records`, `posts` and `pages` add the larger ones. Any other kind becomes a
draft with the given attributes, for the apps whose entities are made from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soundstage.worlds.builder import text as texts
from soundstage.worlds.builder.drafts import Draft, Plan
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.forms import TURN, TraceError, delay, known, known_flags, needed
from soundstage.worlds.builder.spec import Spec

# How long answers take in a chat at work, in seconds by percentile.
_PACE = {"quick": 500, "steady": 1000, "slow": 2500}  # ms of a second
_ANSWERS = ((0, 12), (25, 70), (50, 210), (75, 900), (90, 3600), (100, 14_400))
# A document and a chat may have the same key; a link then leads to the kind that can be read.
_LINKED_FIRST = ("document", "base", "table", "page", "post", "event", "task", "place")
_FORMS = ("text", "post", "image", "media", "file")

Slots = Callable[[str, int | None, int | None], str | None]


class Traces:
    """Adds traces to a plan. Texts may refer to things that are added later: they are parsed at the end."""

    def __init__(self, plan: Plan, spec: Spec, known: dict[str, set[str]]) -> None:
        self.plan = plan
        self.spec = spec
        self._known = known  # kind → apps that have an entity for it
        self.later: list[Callable[[], None]] = []
        self.records: dict[str, int] = {}  # table → how many records so far

    def finish(self) -> None:
        """Parse the texts, now that everything is there that they may refer to."""
        for step in self.later:
            step()
        self.later.clear()

    # -- conversations ----------------------------------------------------------------------------------------------

    def thread(
        self,
        place_key: str,
        turns: list[Any],
        at: int,
        where: str,
        *,
        key: str,
        flow: str = "replies",
        slots: Slots | None = None,
        places: list[str] | None = None,
        local: bool = False,
    ) -> list[Draft]:
        """Add a conversation to a place from a start time. With `local`, all speakers are in the organisation's city."""
        place = self.plan.find(place_key, "place")
        if place is None:
            self.plan.refuse(where, f"{place_key!r} is no place")
            return []
        made: list[Draft] = []
        named: dict[str, Draft] = {}
        draw = Draw(self.spec.seed, "delay", key)
        now = at + draw.between(0, 50) * 1000 + draw.below(1000)
        for i, turn in enumerate(turns):
            here = places[i] if places else where
            try:
                draft, now = self._turn(place, turn, i, now, made, named, here, key, flow, draw, slots)
            except TraceError as error:
                self.plan.refuse(here, str(error))
                return made
            draft.values["local"] = local
            made.append(draft)
        return made

    def _turn(
        self, place: Draft, turn: Any, number: int, now: int, made: list[Draft], named: dict[str, Draft],
        where: str, key: str, flow: str, draw: Draw, slots: Slots | None,
    ) -> tuple[Draft, int]:  # fmt: skip
        if not isinstance(turn, dict) or len(turn) != 1:
            raise TraceError('a turn is one `who +delay: "text"`')
        ((head, content),) = turn.items()
        match = TURN.match(head)
        if match is None:
            raise TraceError(f"{head!r} is no `who +delay flags`, such as `lin_yue +4m`")
        author = self.plan.find(match["who"], "person", "bot")
        if author is None:
            raise TraceError(f"{match['who']!r} is nobody of the cast and no bot")
        if place.app not in author.values["accounts"]:
            raise TraceError(f"{author.key} has no account in {place.app}, where this is said")
        if author.kind == "person" and author not in (*place.values["members"], *place.values["former"]):
            raise TraceError(f"{author.key} is no member of {place.key}")
        flags = known_flags(match["flags"], "id", "to", "new", "thread", "recalled", "edited")
        if match["delay"]:
            now += delay(match["delay"])
        elif number:
            voice = author.values.get("voice")
            now += draw.from_steps(_ANSWERS) * (_PACE[voice.answers] if voice else 1000) + draw.below(1000)
        message = known(content if isinstance(content, dict) else {"text": content}, "text", "title", "file", "image", "media",
                     "files", "reactions", "pinned", "activity")  # fmt: skip
        answers = made[0] if number and flow == "replies" and "new" not in flags else None
        if "to" in flags:
            answers = named.get(flags["to"])
            if answers is None:
                raise TraceError(f"no turn before this one is named {flags['to']!r} (`id={flags['to']}`)")
        root = (answers.values["root"] or answers) if answers else None
        form = next((f for f in _FORMS if f in message), "post" if "title" in message else "text")
        values: dict[str, Any] = {
            "place": place, "author": author, "answers": answers, "root": root, "title": message.get("title"),
            "form": "post" if message.get("title") else form,
            "threaded": "thread" in flags or bool(root and root.values["threaded"]),
            "recalled": "recalled" in flags, "edited": now + (delay(flags["edited"]) if "edited" in flags else 0),
            "changed": "edited" in flags, "file": message.get("file"), "media": message.get("media"),
            "image": message.get("image"), "thread": key, "replies": [], "activity": message.get("activity"),
            "pinned": message.get("pinned", False),
            "reactions": [{"name": n, "people": self._people_list(who)} for n, who in message.get("reactions", {}).items()],
            "files": [],
        }  # fmt: skip
        draft = self.plan.add(Draft("message", f"{key}/{number}", place.app, now, values, where))
        if root is not None:
            root.values["replies"].append(draft)
        self._refer_many(draft, "files", message.get("files", []), where)
        self.words(draft, "text", str(message.get("text") or ""), where, slots)
        if "id" in flags:
            named[flags["id"]] = draft
            draft.named = f"{key}/{flags['id']}"
        return draft, now

    # -- things with a date -----------------------------------------------------------------------------------------

    def event(self, value: dict[str, Any], at: int | None, where: str, slots: Slots | None = None) -> Draft:
        """Add a calendar event with its guests."""
        given = known(value, "key", "in", "by", "title", "text", "start", "end", "minutes", "days", "with", "maybe", "declined",
                       "open", "optional", "location", "address", "online", "repeat", "created", "cancelled", "free", "remind",
                       "instance_of", "original", "closed", "also")  # fmt: skip
        calendar = self.require(str(needed(given, "in")), "calendar")
        by = self.person(given["by"]) if "by" in given else calendar.values["owner"]
        whole_day = "days" in given
        start = self.moment(needed(given, "start"))
        length = int(given["days"]) * 86_400_000 if whole_day else int(given.get("minutes", 30)) * 60_000
        end = self.moment(given["end"]) if "end" in given else start + length
        if end <= start:
            raise TraceError(f"ends ({given.get('end')}) before it starts ({given['start']})")
        created = (
            self.moment(given["created"]) if "created" in given else at if at is not None else start - 3 * 86_400_000
        )
        if created > start and not given.get("repeat"):
            raise TraceError("was made after it started")
        guests: list[dict[str, Any]] = []
        for answer, given_as in (
            ("accept", "with"),
            ("tentative", "maybe"),
            ("decline", "declined"),
            ("needs_action", "open"),
        ):
            for key in self._people_list(given.get(given_as, [])):
                guests.append(
                    {"person": key, "answer": answer, "optional": key.key in given.get("optional", []), "by": key is by}
                )
        if guests and all(g["person"] is not by for g in guests):
            guests.insert(0, {"person": by, "answer": "accept", "optional": False, "by": True})
        for guest in guests:
            self._needs_account(guest["person"], calendar)
        values = {
            "calendar": calendar, "by": by, "title": given["title"], "start": start, "end": end, "whole_day": whole_day,
            "guests": guests, "location": given.get("location"), "address": given.get("address"),
            "online": given.get("online", bool(len(guests) > 1 and not whole_day)), "repeat": given.get("repeat"),
            "cancelled": given.get("cancelled", False), "free": given.get("free", False), "remind": given.get("remind"),
            "closed": given.get("closed", False), "instance_of": None,
            "original": self.moment(given["original"]) if "original" in given else start, "also": given.get("also"),
        }  # fmt: skip
        name = str(given.get("key") or f"{calendar.key}/{given['title']}/{start}")
        draft = self.plan.add(Draft("event", name, calendar.app, created, values, where))
        if "instance_of" in given:
            self.later.append(lambda: values.update(instance_of=self.plan.find(str(given["instance_of"]), "event")))
        self.words(draft, "title", str(given["title"]), where, slots)
        self.words(draft, "text", str(given.get("text") or ""), where, slots)
        return draft

    def task(self, value: dict[str, Any], at: int | None, where: str, slots: Slots | None = None) -> Draft:
        """Add a task with its assignees and followers."""
        given = known(value, "key", "by", "title", "text", "to", "followers", "due", "due_day", "done", "created", "edited",
                       "under", "repeat", "milestone", "mode", "remind", "app", "also")  # fmt: skip
        by = self.require(str(needed(given, "by")), "person", "bot")
        app = str(given.get("app", self.spec.home))
        created = self.moment(given["created"]) if "created" in given else at
        if created is None:
            raise TraceError("needs `created`")
        done = self.moment(given["done"]) if given.get("done") else None
        if done is not None and done < created:
            raise TraceError(f"was done ({given['done']}) before it was made")
        edited = self.moment(given["edited"]) if "edited" in given else done or created
        due_day = given.get("due_day")
        to, followers = self._people_list(given.get("to", [])), self._people_list(given.get("followers", []))
        for person in (*to, *followers, by):
            if app not in person.values["accounts"]:
                raise TraceError(f"{person.key} has no account in {app}, where this task is")
        values = {
            "by": by, "title": given["title"], "to": to, "followers": followers,
            "due": self._day(due_day) if due_day else self.moment(given["due"]) if given.get("due") else None,
            "whole_day": bool(due_day), "done": done, "edited": max(edited, created), "state": "done" if done else "todo",
            "repeat": given.get("repeat"), "milestone": given.get("milestone", False), "mode": given.get("mode", 2),
            "remind": given.get("remind"), "parent": None, "also": given.get("also"),
        }  # fmt: skip
        key = str(given.get("key") or f"{by.key}/{given['title']}/{created}")
        draft = self.plan.add(Draft("task", key, app, created, values, where))
        if "under" in given:
            self._parent(draft, str(given["under"]), where)
        self.words(draft, "title", str(given["title"]), where, slots)
        self.words(draft, "text", str(given.get("text") or ""), where, slots)
        return draft

    def document(self, value: dict[str, Any], at: int | None, where: str, slots: Slots | None = None) -> Draft:
        """Add a document and the rights of its readers."""
        given = known(value, "key", "by", "title", "text", "created", "edited", "share", "chats", "app", "also")
        owner = self.person(needed(given, "by"))
        created = self.moment(given["created"]) if "created" in given else at
        if created is None:
            raise TraceError("needs `created`")
        edited = self.moment(given["edited"]) if "edited" in given else created
        if edited < created:
            raise TraceError(f"was edited ({given['edited']}) before it was made")
        app = str(given.get("app", self.spec.home))
        values = {"owner": owner, "title": given["title"], "edited": edited, "also": given.get("also"), "chats": []}
        draft = self.plan.add(Draft("document", str(given.get("key") or given["title"]), app, created, values, where))
        self.words(draft, "title", str(given["title"]), where, slots)
        self.words(draft, "text", str(given.get("text") or ""), where, slots)
        self.share(draft, given.get("share", {}), where)
        values["chats"] = [self.require(str(c), "place") for c in given.get("chats", [])]
        return draft

    def share(self, draft: Draft, share: dict[str, str], where: str) -> None:
        """Set the readers and editors of a draft: its owner, and people, places and teams by name."""
        owner = draft.values["owner"]
        rights: list[tuple[Draft, str]] = [(owner, "full_access")] if owner else []

        def add() -> None:
            for name, right in share.items():
                target = self.plan.find(name, "person", "place")
                if target is None:
                    self.plan.refuse(where, f"shared with {name!r}, who is nobody of the cast and no place")
                elif right not in ("view", "edit", "full_access"):
                    self.plan.refuse(where, f"right {right!r} for {name}: expected view, edit or full_access")
                elif target is not owner:
                    rights.append((target, right))
            for who, right in rights:
                at = max(draft.at, who.at if who.kind == "place" else draft.at)
                values = {"of": draft, "with": who, "right": right}
                self.plan.add(Draft("share", f"{draft.kind}:{draft.key}/{who.key}", draft.app, at, values, where))

        self.later.append(add)

    def other(self, kind: str, value: Any, at: int | None, where: str) -> Draft:
        """Add a trace of a kind that an app defines.

        Keys of people, places and things are resolved, texts are parsed, and `edited` is a time.
        """
        if kind not in self._known:
            raise TraceError(f"unknown kind of trace {kind!r}; known: thread, {', '.join(sorted(self._known))}")
        if not isinstance(value, dict):
            raise TraceError("expected attributes `name: value`")
        app = value.get("app") or (
            self.spec.home if self.spec.home in self._known[kind] else sorted(self._known[kind])[0]
        )
        if app not in self._known[kind]:
            raise TraceError(f"app {app!r} has no {kind}; these have: {', '.join(sorted(self._known[kind]))}")
        moment = self.moment(value["created"]) if "created" in value else at
        if moment is None:
            raise TraceError("needs `created`")
        values: dict[str, Any] = {}
        key = str(value.get("key") or f"{kind}/{app}/{moment}/{value.get('title', value.get('by', ''))}")
        draft = self.plan.add(Draft(kind, key, app, moment, values, where))
        for name, item in value.items():
            if name in ("app", "key", "created"):
                continue
            if name in ("text", "title"):
                self.words(draft, name, str(item), where, None)
            elif name == "edited":
                values[name] = self.moment(item)
                if values[name] < moment:
                    raise TraceError(f"was edited ({item}) before it was made")
            elif name == "by":
                person = self.person(item)
                values[name] = values["author"] = person
                self._needs_account(person, draft)
            elif isinstance(item, str) and item.startswith("@"):
                self._refer(draft, name, item[1:], where)
            elif isinstance(item, list) and item and all(isinstance(i, str) and i.startswith("@") for i in item):
                values[name] = []
                self._refer_many(draft, name, [i[1:] for i in item], where)
            else:
                values[name] = item
        return draft

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _refer(self, draft: Draft, name: str, key: str, where: str) -> None:
        def look() -> None:
            target = self.plan.find(key)
            if target is None:
                self.plan.refuse(where, f"{name}: {key!r} is nothing of this world")
            draft.values[name] = target

        self.later.append(look)

    def _refer_many(self, draft: Draft, name: str, keys: list[str], where: str) -> None:
        def look() -> None:
            for key in keys:
                if (target := self.plan.find(key)) is None:
                    self.plan.refuse(where, f"{name}: {key!r} is nothing of this world")
                else:
                    draft.values[name].append(target)

        self.later.append(look)

    def _parent(self, draft: Draft, key: str, where: str) -> None:
        def look() -> None:
            parent = self.plan.find(key, draft.kind)
            if parent is None:
                self.plan.refuse(where, f"under: {key!r} is no {draft.kind}")
                return
            draft.values["parent"] = parent
            seen = [draft]
            while parent is not None:
                if parent in seen:
                    self.plan.refuse(where, f"circular parents {' → '.join(d.key for d in [*seen, parent])}")
                    return
                seen.append(parent)
                parent = parent.values["parent"]

        self.later.append(look)

    def words(self, draft: Draft, name: str, text: str, where: str, slots: Slots | None) -> None:
        """Set a text attribute, and parse its references when all drafts are there."""
        draft.values[name] = text  # until it is parsed

        def parse() -> None:
            try:
                draft.values[name] = texts.parse(text, self._mentionable, self.linkable, slots or (lambda *_: None))
            except texts.UnknownReference as error:
                self.plan.refuse(where, f"{name}: {error}")
                return
            if name == "text" and draft.kind == "message":
                draft.values["mentions"] = texts.mentions(draft.values["text"])
                for mentioned in draft.values["mentions"]:
                    if draft.app not in mentioned.values["accounts"]:
                        self.plan.refuse(where, f"mentions {mentioned.key}, who has no account in {draft.app}")
            elif name == "title" and draft.kind in ("event", "task", "document", "message", "post"):
                draft.values[name] = texts.plain(draft.values[name])

        self.later.append(parse)

    def _mentionable(self, key: str) -> Draft | None:
        return self.plan.find(key, "person", "bot")

    def linkable(self, key: str) -> Draft | None:
        """Return the draft that a link with this key leads to, or None."""
        return self.plan.find(key, *_LINKED_FIRST) or self.plan.find(key)

    def require(self, key: str, *kinds: str) -> Draft:
        """Return the draft with this key.

        Raises:
            TraceError: there is none of these kinds.
        """
        draft = self.plan.find(key, *kinds)
        if draft is None:
            raise TraceError(f"{key!r} is no {' or '.join(kinds) if kinds else 'thing of this world'}")
        return draft

    def person(self, key: Any) -> Draft:
        """Return the person with this key.

        Raises:
            TraceError: the cast has no such person.
        """
        person = self.plan.find(str(key), "person")
        if person is None:
            raise TraceError(f"{key!r} is nobody of the cast")
        return person

    def _people_list(self, keys: list[str]) -> list[Draft]:
        return [self.person(key) for key in keys]

    def _needs_account(self, person: Draft, thing: Draft) -> None:
        if thing.app is not None and thing.app not in person.values["accounts"]:
            raise TraceError(f"{person.key} has no account in {thing.app}, where this is")

    def app_of(self, kind: str) -> str:
        """Return the default app for things of a kind."""
        apps = self._known.get(kind, set())
        if not apps:
            raise TraceError(f"no app has a {kind}")
        return self.spec.home if self.spec.home in apps else sorted(apps)[0]

    def moment(self, text: Any) -> int:
        """Return a time of the sources in milliseconds since 1970.

        Raises:
            TraceError: it is not a time.
        """
        if isinstance(text, int):
            return text
        try:
            return self.spec.moment(str(text))
        except ValueError:
            raise TraceError(f"{text!r} is not a moment; write it like 2026-11-20 09:30") from None

    def _day(self, text: Any) -> int:
        """A calendar day as its midnight in UTC."""
        return self.moment(f"{text}T00:00:00Z")
