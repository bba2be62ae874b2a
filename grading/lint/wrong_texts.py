"""Runs with right actions and wrong texts: something is left out, two values are named, or an outdated one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from soundstage.grading.lint.equivalents import default_style
from soundstage.grading.lint.mutant import Mutant
from soundstage.grading.lint.oracle_run import OracleRun
from soundstage.grading.lint.wording import Fact, facts, miscounted, moved, two_faced
from soundstage.grading.matchers import Reading, Says, Words
from soundstage.grading.oracle import OracleError, Script, with_text
from soundstage.grading.texts.dates import date_mentions
from soundstage.grading.texts.normalize import normalize
from soundstage.grading.texts.normalize import says as named
from soundstage.grading.texts.numbers import numbers

_MOST_STALE = 3
_SHIFTS = {"an hour later": 3600, "a day later": 86_400, "a day earlier": -86_400, "twelve hours off": 43_200}


def wrong_texts(oracle_run: OracleRun) -> Iterator[Mutant]:
    """Yield all such runs, for each checked text and for the answer."""
    for made, check, matcher in oracle_run.spoken():

        def say(name: str, text: str, label: str = made.label) -> Script | None:
            calls = {m.label: m.call() for m in oracle_run.made}
            try:
                calls[label] = with_text(calls[label], text)
            except OracleError:
                return None  # the call's text is spread over several arguments
            return oracle_run.script(f"{label} {name}", tuple(calls.values()))

        reading = oracle_run.reading(made.app)
        context = [
            f
            for m, c, says in oracle_run.spoken()
            if m.label == made.label and c is not check
            for f in facts(says, reading)
        ]
        yield from _misspoken(oracle_run, matcher, reading, say, check.id, context)
    answers = list(oracle_run.answered())
    for check, matcher in answers:
        others = [f for c, m in answers if c is not check for f in facts(m, oracle_run.reading())]

        def answer(name: str, text: str) -> Script | None:
            return oracle_run.script(f"answer {name}", answer=text)

        yield from _misspoken(oracle_run, matcher, oracle_run.reading(), answer, check.id, others)
    if answers:
        yield Mutant("wrong answer", oracle_run.script("right deeds, no answer", answer=""), "caught")
        yield Mutant("wrong answer", oracle_run.script("right deeds, stock answer", answer="Done."), "caught")


def _misspoken(
    oracle_run: OracleRun,
    matcher: Says,
    reading: Reading,
    script: Callable[[str, str], Script | None],
    check: str,
    context: list[Fact] | None = None,
) -> Iterator[Mutant]:
    style = default_style(oracle_run)
    stated = facts(matcher, reading)
    for operator, name, text in _texts(oracle_run, stated, context or [], reading):
        if (wrong := script(name, text)) is not None:
            yield Mutant(operator, wrong, "caught", fails=(check,))
    for slot in matcher.slots:
        if isinstance(slot, Words) and slot.absent:
            phrase = style.phrase(slot.phrases)
            text = f"{style.text([*stated, *(context or [])])} {phrase}."
            if (wrong := script(f"also says {phrase}", text)) is not None:
                yield Mutant("wrong words", wrong, "caught", fails=(check,))


def _texts(
    oracle_run: OracleRun, stated: list[Fact], context: list[Fact], reading: Reading
) -> Iterator[tuple[str, str, str]]:
    """Yield operator, name and text of each wrong text."""
    style = default_style(oracle_run)
    if stated:
        yield "wrong words", "says something else", style.together(["a word from me", "一句话"], [])
    for i, _ in enumerate(stated):
        if len(stated) + len(context) > 1:
            yield (
                "wrong words",
                f"without what slot {i + 1} wants",
                style.text([*stated[:i], *stated[i + 1 :], *context]),
            )
    for name, wrong in miscounted(stated):
        yield "wrong number", f"says {name}", style.text([*wrong, *context])
    right = next((f for f in stated if f.moment is not None), None)
    if right is not None and right.moment is not None:
        for name, seconds in _SHIFTS.items():
            if right.day_only and abs(seconds) < 86_400:
                continue
            if (late := moved(stated, seconds)) is not None:
                yield "wrong time", f"says {name}", style.text([*late, *context])
        week = right.moment - timedelta(days=7)
        step = timedelta(days=1) if right.day_only else timedelta(hours=1)
        required = {f.moment for f in [*stated, *context] if f.moment is not None}
        near = next(at for n in range(1, 99) if (at := right.moment + n * step) not in required)
        for operator, other, how in (("reversed", week, "from"), ("hedge", near, "or")):
            if (text := two_faced([*stated, *context], other, style, how)) is not None:
                yield operator, f"says it {'the wrong way round' if how == 'from' else 'both ways'}", text
    for i, fact in enumerate(stated):
        if fact.number is not None and fact.unit:
            two = style.text([*stated, Fact(number=fact.number + 1, unit=fact.unit), *context])
            yield "hedge", f"says two numbers of {fact.unit[0]}", two
        for name, stale in _stale(oracle_run, stated, fact, reading):
            yield "stale", name, style.text([*stated[:i], stale, *stated[i + 1 :], *context])


def _stale(oracle_run: OracleRun, stated: list[Fact], fact: Fact, reading: Reading) -> Iterator[tuple[str, Fact]]:
    """Yield other values that the world's texts give for the same thing: a time or number next to one of the phrases."""
    phrases = [p for f in stated for p in f.phrases]
    units = [normalize(u) for u in fact.unit]
    variants: list[Fact] = []
    for text in oracle_run.known_texts:
        if not any(named(text, p) for p in phrases):
            continue
        if fact.moment is not None:
            here = fact.moment
            for moment in date_mentions(text, reading.zone, reading.now):
                at = datetime.fromtimestamp(min(moment.readings), here.tzinfo)
                same = at.date() == here.date() if fact.day_only else at == here
                if not same and (fact.day_only or not moment.day_only):
                    variants.append(replace(fact, moment=at))
        elif fact.number is not None and units:
            variants += [
                replace(fact, number=n.value)
                for n in numbers(text)
                if n.value != fact.number and any(text[n.end :].lstrip().startswith(u) for u in units)
            ]
        if len(variants) >= _MOST_STALE:
            break
    for old in variants[:_MOST_STALE]:
        value = f"{old.moment:%Y-%m-%d %H:%M}" if old.moment is not None else f"{old.number:g}"
        yield f"says the world's {value}", old
