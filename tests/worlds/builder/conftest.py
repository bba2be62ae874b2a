"""Small specs for the builder's tests: a whole world in one file, with changes by each test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SPEC = """
world: tiny
title: Tiny
description: Three people and a chat.
seed: 3
epoch: "2026-11-20T01:00:00Z"
days: 30
home: lark
user: ann
organisation: {name: Tiny, founded: "2020-01-01", domain: tiny.example, rooms: [Blue], teams: {product: Product, qa: Quality}}
accounts: {lark: {}, slack: {handle: "{latin}"}}
cast:
  ann: {name: Ann Lee, role: Lead, team: product, joined: "2025-01-01 09:00"}
  bo: {name: 薄文, latin: Bo Wen, role: Tester, team: qa, languages: [zh, en], joined: "2025-02-01 09:00"}
  cy: {name: Cy Ray, role: Writer, team: product, joined: "2026-11-02 09:00"}
bots: {helper: {name: Helper, created: "2025-01-01 08:00", accounts: {lark: {}}}}
places:
  room: {app: lark, name: Room, owner: ann, members: [everybody], created: "2026-11-02 10:00", topics: [office, lunch], share: 1}
sizes: {rows: {lark: {message: 40, calendar_event: 12, task: 10}}}
include: [story.yaml]
"""

STORY = """
storyline: story
title: A story
about: Something happens.
people: [ann, bo]
beats:
  - at: "2026-11-05 10:00"
    what: It begins
    traces:
      - document: {key: plan, by: ann, title: Plan, text: "First we look.", share: {room: view, bo: edit}}
      - event: {in: ann, title: Look, start: "2026-11-06 10:00", minutes: 30, with: [bo], location: Blue}
      - task: {key: t1, by: ann, title: Look twice, to: [bo], due: "2026-11-09 18:00"}
      - thread: room
        turns:
          - ann: "Here is the plan, {@bo}: {link:plan}"
          - bo +3m: "好"
          - ann +1m: "Thanks, {bo}"
"""


@pytest.fixture
def write_spec(tmp_path: Path) -> Callable[..., Path]:
    """Writes the small spec with some text replaced: `write_spec({"owner: ann": "owner: nobody"})`."""

    def write(changes: dict[str, str] | None = None) -> Path:
        for name, text in (("spec.yaml", SPEC), ("story.yaml", STORY)):
            for old, new in (changes or {}).items():
                text = text.replace(old, new)
            (tmp_path / name).write_text(text.lstrip(), encoding="utf-8")
        return tmp_path / "spec.yaml"

    return write
