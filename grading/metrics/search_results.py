"""Read the results of an agent's tool searches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import orjson

from soundstage.grading.duplicates import leaves
from soundstage.grading.evidence import Step


def tools_in_reply(step: Step) -> list[Mapping[str, object]]:
    """Return the tools in a step's reply: the results of `search_tools`, or the tool of `describe_tool`."""
    if step.kind != "search" or not step.ok:
        return []
    objects = list(_objects(step.reply))
    if step.tool == "search_tools":
        lists = [one["tools"] for one in objects if isinstance(one.get("tools"), list)]
        return [tool for tools in lists if isinstance(tools, list) for tool in tools if isinstance(tool, dict)]
    return objects if step.tool == "describe_tool" else []


def _objects(reply: object) -> Iterator[Mapping[str, object]]:
    for text in leaves(reply):
        try:
            document = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        if isinstance(document, dict):
            yield document
