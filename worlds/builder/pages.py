"""Pages with text: a tree of pages, and the blocks of a page's text."""

from __future__ import annotations

from typing import Any

from soundstage.worlds.builder import text as texts
from soundstage.worlds.builder.drafts import Draft
from soundstage.worlds.builder.forms import TraceError, known, needed
from soundstage.worlds.builder.markdown import Block, blocks
from soundstage.worlds.builder.traces import Traces

_MINUTE = 60_000


def add_page(traces: Traces, space: Draft, value: dict[str, Any], where: str) -> None:
    """A page with a text: `key`, `title`, `text`, `under`, `icon`, `by`, `created`, `edited` and `edited_by`."""
    try:
        given = known(value, "key", "title", "text", "under", "icon", "by", "created", "edited", "edited_by")
        by = traces.person(given["by"]) if "by" in given else space.values["owner"]
        above = traces.require(f"{space.key}/{given['under']}", "page") if "under" in given else None
        created = traces.moment(needed(given, "created"))
        edited = traces.moment(given["edited"]) if "edited" in given else created
        if edited < created:
            raise TraceError("was edited before it was made")
        values = {
            "space": space, "parent": above, "owner": by, "creator": by, "by": by, "edited": edited,
            "edited_by": traces.person(given["edited_by"]) if "edited_by" in given else by,
            "title": str(needed(given, "title")), "icon": given.get("icon"),
        }  # fmt: skip
        page = Draft("page", f"{space.key}/{needed(given, 'key')}", space.app, created, values, where)
    except TraceError as error:
        traces.plan.refuse(where, str(error))
        return
    add_blocks(traces, traces.plan.add(page), str(given.get("text") or ""), where)


def add_blocks(traces: Traces, page: Draft, text: str, where: str) -> None:
    """Add the blocks of a page's text, as if written one a minute; the last one has the time of the page's latest edit."""
    made: list[Draft] = []

    def add(page_blocks: list[Block], parent: Draft | None) -> None:
        for block in page_blocks:
            at = min(page.at + len(made) * _MINUTE, page.values["edited"])
            values: dict[str, Any] = {
                "page": page, "parent": parent, "form": block.form, "text": block.text, "cells": block.cells,
                "by": page.values["by"], "edited_by": page.values["by"], "edited": at, **block.values,
            }  # fmt: skip
            draft = traces.plan.add(Draft("block", f"{page.key}/b{len(made)}", page.app, at, values, where))
            made.append(draft)
            _parse_later(traces, draft, where)
            add(block.inside, draft)

    add(blocks(text), None)
    if made:
        made[-1].values.update(edited=page.values["edited"], edited_by=page.values["edited_by"])


def _parse_later(traces: Traces, block: Draft, where: str) -> None:
    def parsed(text: str) -> texts.Words:
        return texts.parse(text, lambda key: traces.plan.find(key, "person", "bot"), traces.linkable, lambda *_: None)

    def parse() -> None:
        try:
            block.values["text"] = parsed(block.values["text"])
            if block.values["cells"] is not None:
                block.values["cells"] = [parsed(cell) for cell in block.values["cells"]]
        except texts.UnknownReference as error:
            traces.plan.refuse(where, f"text: {error}")

    if block.values["form"] != "code":
        traces.later.append(parse)
