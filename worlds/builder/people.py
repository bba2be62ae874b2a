"""The cast: people and bots with their accounts in every app, and people made up where a world wants more of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from soundstage.source import read
from soundstage.worlds.builder.drafts import EVERYWHERE, Draft, Plan
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.spec import Outsider, Person, Sources, Spec, Voice

_NAMES = Path(__file__).parent / "corpora" / "names.yaml"
# Fictitious numbers, 0100 to 0199 of any area code: https://en.wikipedia.org/wiki/555_(telephone_number)
_AREA_CODES = (
    202, 206, 212, 213, 214, 215, 303, 305, 312, 313, 404, 412, 415, 503, 504, 512, 602, 612, 617, 619, 702, 713, 808, 813, 907,
)  # fmt: skip


def add_people(plan: Plan, sources: Sources) -> None:
    """Add the cast, and as many more people as the spec's sizes ask for."""
    spec = sources.spec
    for key, person in spec.cast.items():
        _add(plan, spec, key, person, sources.place("cast", key))
    for key, outsider in spec.outsiders.items():
        _add_outsider(plan, spec, key, outsider, sources.place("outsiders", key))
    missing = spec.sizes.people - len(spec.cast)
    for number in range(max(0, missing)):
        key, person = _made_up(spec, number)
        _add(plan, spec, key, person, sources.place("sizes", "people"))
    for key, bot in spec.bots.items():
        values: dict[str, Any] = {"name": bot.name, "latin": bot.name, "accounts": bot.accounts, "languages": ["en"]}
        plan.add(Draft("bot", key, EVERYWHERE, spec.moment(bot.created), values, sources.place("bots", key)))
    if plan.find(spec.user, "person") is None:
        plan.refuse(sources.place("user", ""), f"{spec.user!r} is nobody of the cast")
    for app in spec.accounts:
        user = plan.find(spec.user, "person")
        if user is not None and app in user.values["accounts"]:
            acting = next(plan.of_kind("bot", app), None)
            plan.add(Draft("self", f"self.{app}", app, user.at, {"person": user, "bot": acting}))
    _unique(plan)


def _add(plan: Plan, spec: Spec, key: str, person: Person, where: str) -> None:
    if person.team not in spec.organisation.teams:
        known = ", ".join(spec.organisation.teams)
        plan.refuse(where, f"team {person.team!r} is none of the organisation's: {known}")
    founded = spec.organisation.founded
    if founded is not None and spec.moment(person.joined) < spec.moment(founded):
        plan.refuse(where, f"joined ({person.joined}) before the organisation was founded ({founded})")
    latin = person.latin or person.name
    given, _, family = latin.partition(" ")
    if ("zh" in person.languages and person.languages[0] == "zh") or person.name != latin:
        given, family = family, given  # Chinese names are written family first
    parts = {
        "key": key,
        "given": _plain(given),
        "family": _plain(family or given),
        "latin": _plain(latin).replace(" ", "."),
        "domain": spec.organisation.domain,
        "number": f"{Draw(spec.seed, 'handle', key).between(100, 999)}",
        "name": person.name,
    }
    accounts: dict[str, dict[str, Any]] = {}
    for app, pattern in spec.accounts.items():
        feed = spec.feeds.get(app)
        own = person.accounts.get(app, feed.accounts.get(key, {}) if feed else {})
        if own is None:
            continue
        try:
            usual = {n: v.format(**parts) if isinstance(v, str) else v for n, v in pattern.items()}
        except (LookupError, ValueError):
            known = ", ".join(f"{{{part}}}" for part in parts)
            plan.refuse(f"accounts.{app}", f"{pattern!r} has a part in braces that nobody has; known: {known}")
            continue
        accounts[app] = {**usual, **own}
    for app in person.accounts.keys() - spec.accounts.keys():
        plan.refuse(where, f"account in {app!r}, which the spec's `accounts` do not name: {', '.join(spec.accounts)}")
    start, end = person.hours.split("-")
    values = {
        "name": person.name,
        "latin": latin,
        "given": given,
        "family": family,
        "email": person.email or f"{parts['latin']}@{spec.organisation.domain}",
        "phone": person.phone if person.phone is not None else _phone(spec.seed, key),
        "role": person.role,
        "team": person.team,
        "department": spec.organisation.teams.get(person.team, person.team),
        "languages": list(person.languages),
        "zone": person.zone or spec.zone,
        "hours": (start, end),
        "left": spec.moment(person.left) if person.left else None,
        "starts": spec.moment(person.starts) if person.starts else None,
        "standing": "left" if person.left else "coming" if person.starts else "active",
        "traits": list(person.traits),
        "interests": list(person.interests),
        "about": person.about,
        "habits": list(person.habits),
        "voice": person.voice,
        "talks": person.talks,
        "own_diary": person.own_diary,
        "accounts": accounts,
        "city": person.city or spec.organisation.city,
        "here": person.city in (None, spec.organisation.city),
    }
    plan.add(Draft("person", key, EVERYWHERE, spec.moment(person.joined), values, where))


def _add_outsider(plan: Plan, spec: Spec, key: str, outsider: Outsider, where: str) -> None:
    number = f"{Draw(spec.seed, 'handle', key).between(100, 999)}"
    parts = {"key": key, "name": outsider.name, "number": number}
    accounts: dict[str, dict[str, Any]] = {}
    for app, own in outsider.accounts.items():
        if app not in spec.accounts:
            plan.refuse(
                where, f"account in {app!r}, which the spec's `accounts` do not name: {', '.join(spec.accounts)}"
            )
            continue
        usual = {n: v for n, v in spec.accounts[app].items() if n not in own}
        accounts[app] = {
            **{n: v.format_map(_Known(parts)) if isinstance(v, str) else v for n, v in usual.items()},
            **own,
        }
    values = {
        "name": outsider.name, "latin": outsider.name, "email": f"{key}@outside.example", "phone": "", "role": "",
        "team": "", "department": "", "languages": list(outsider.languages), "zone": spec.zone, "hours": ("09:00", "22:00"),
        "starts": None, "left": None, "standing": "outside", "traits": [], "interests": list(outsider.interests),
        "voice": outsider.voice, "here": True, "talks": 0, "own_diary": True, "accounts": accounts,
    }  # fmt: skip
    plan.add(Draft("person", key, EVERYWHERE, spec.moment(outsider.joined), values, where))


class _Known(dict[str, str]):
    """The values for an account's pattern; values that only the cast has default to an empty text."""

    def __missing__(self, name: str) -> str:
        return ""


def _plain(name: str) -> str:
    """A name in the letters of an address: Růžička → ruzicka."""
    import unicodedata

    letters = unicodedata.normalize("NFKD", name.lower())
    return "".join(c for c in letters if c.isascii() and (c.isalnum() or c in " .-")).strip()


def _phone(seed: int, key: str) -> str:
    draw = Draw(seed, "phone", key)
    return f"+1{draw.choice(_AREA_CODES)}55501{draw.below(100):02}"


def _unique(plan: Plan) -> None:
    """Make phone numbers and addresses unique: duplicate numbers are incremented, duplicate addresses get a digit."""
    phones: set[str] = set()
    addresses: set[str] = set()
    for person in plan.of_kind("person"):
        phone = str(person.values["phone"])
        while phone and phone in phones:
            last = int(phone[-2:]) + 1
            step = _AREA_CODES.index(int(phone[2:5])) + (last == 100)
            phone = f"+1{_AREA_CODES[step % len(_AREA_CODES)]}55501{last % 100:02}"
        phones.add(phone)
        person.values["phone"] = phone
        local, _, domain = str(person.values["email"]).partition("@")
        address, number = f"{local}@{domain}", 2
        while address in addresses:
            address, number = f"{local}{number}@{domain}", number + 1
        addresses.add(address)
        person.values["email"] = address


@cache
def _names() -> dict[str, Any]:
    """Names from `faker`'s lists (Western) and our own (Chinese, which need their reading in Latin letters)."""
    from faker.providers.person.de_DE import Provider as German
    from faker.providers.person.en_GB import Provider as British
    from faker.providers.person.pt_BR import Provider as Brazilian

    western = [(sorted(set(p.first_names)), sorted(set(p.last_names))) for p in (British, German, Brazilian)]
    return {"western": western, **read(_NAMES).value}


def _made_up(spec: Spec, number: int) -> tuple[str, Person]:
    draw = Draw(spec.seed, "person", number)
    names = _names()
    if draw.percent(60):
        family, family_read = draw.choice(names["families"])
        given = [draw.choice(names["given"]) for _ in range(draw.weighted([(1, 25), (2, 75)]))]
        name = family + "".join(character for character, _ in given)
        latin = f"{family_read} {''.join(reading for _, reading in given).capitalize()}"
        languages = ["zh", "en"] if draw.percent(70) else ["zh"]
    else:
        first, last = draw.choice(names["western"])
        name = latin = f"{draw.choice(first)} {draw.choice(last)}"
        languages = ["en"]
    team = draw.choice(sorted(spec.organisation.teams))
    start = draw.choice(["09:00", "09:30", "10:00", "10:30"])
    joined = spec.begin_ms - draw.between(1, 2200) * 86_400_000
    person = Person(
        name=name,
        latin=latin,
        role=f"{draw.choice(names['levels'])}{draw.choice(names['roles'])}",
        team=team,
        languages=languages,  # type: ignore[arg-type]
        hours=f"{start}-{int(start[:2]) + 9}:{start[3:]}",
        joined=_iso_day(joined),
        traits=draw.sample(names["traits"], 2),
        talks=draw.weighted([(3, 30), (10, 50), (25, 20)]),
        voice=Voice(lower=draw.percent(12), stops=draw.weighted([(None, 70), (0, 30)])),
    )
    return f"p{number + 1:04}", person


def _iso_day(at: int) -> str:
    from soundstage.worlds.builder.rows import written

    return f"{written(at, 'utc-date', True)} 10:00"
