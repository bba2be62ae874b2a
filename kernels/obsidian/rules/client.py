"""mcp-obsidian's client of the REST API: its class `Obsidian`, method by method."""

from __future__ import annotations

import json
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules.errors import PATCH_FAILED, NoJson, ObsidianError, RestError
from soundstage.kernels.obsidian.rules.patch import DELIMITER, Patch
from soundstage.kernels.obsidian.rules.rest import Method, Request

_FENCES = ("```", "~~~")


def read(context: AppContext, path: str) -> str:
    """Return a file's text, or a folder as JSON if the path ends with `/`."""
    return Request(context).send("GET", f"/vault/{path}")


def listed(context: AppContext, folder: str | None) -> Any:
    """Return the direct children of a folder, or of the root for None: the response's member `files`."""
    answer = _json(Request(context).send("GET", "/vault/" if folder is None else f"/vault/{folder}/"))
    if isinstance(answer, dict) and "files" in answer:
        return answer["files"]
    raise _python_error(answer)


def front_matter(context: AppContext, path: str) -> Any:
    """Return a note's front matter, {} if it has none."""
    answer = _json(Request(context, as_note=True).send("GET", f"/vault/{path}"))
    return answer.get("frontmatter", {}) or {}


def write(context: AppContext, method: Method, path: str, content: str = "") -> None:
    """PUT, POST (append) or DELETE a file."""
    Request(context, content=content).send(method, f"/vault/{path}")


def patch(context: AppContext, path: str, change: Patch) -> None:
    """Patch a note. If the API does not find a heading, all headings are searched for its bare name.

    Raises:
        ObsidianError: The request failed, or several headings have that name.
    """
    try:
        Request(context, patch=change).send("PATCH", f"/vault/{path}")
    except RestError as error:
        if change.target_type != "heading" or DELIMITER in change.target or error.code != PATCH_FAILED:
            raise
        candidates = _headings(read(context, path), change.target)
        if not candidates:
            raise
        if len(candidates) > 1:
            text = f"Ambiguous heading '{change.target}'. Candidates: {', '.join(candidates)}. "
            raise ObsidianError("conflict", f"{text}Specify the qualified path with '::' delimiter.") from None
        qualified = Patch(change.operation, change.target_type, candidates[0], change.content)
        Request(context, patch=qualified).send("PATCH", f"/vault/{path}")


def _headings(text: str, name: str) -> list[str]:
    """Return the full paths of the headings with this name, ignoring case and fenced code."""
    above: list[tuple[int, str]] = []
    results: list[str] = []
    in_fence = False
    for line in text.split("\n"):
        if line.lstrip().startswith(_FENCES):
            in_fence = not in_fence
            continue
        heading = None if in_fence else _heading(line)
        if heading is None:
            continue
        while above and above[-1][0] >= heading[0]:
            above.pop()
        above.append(heading)
        if heading[1].lower() == name.lower():
            results.append(DELIMITER.join(title for _, title in above))
    return results


def _heading(line: str) -> tuple[int, str] | None:
    """Return the depth and name of a heading line, without trailing `#`, by the client's own rule."""
    marks = line.lstrip()
    indent = len(line) - len(marks)
    title = marks.lstrip("#")
    depth = len(marks) - len(title)
    if indent > 3 or not 1 <= depth <= 6 or not title[:1].isspace() or len(title) < 2:
        return None
    name = title.strip()
    bare = name.rstrip("#")
    return depth, bare.rstrip() if bare != name and bare[-1:].isspace() else name


def _json(body: str) -> Any:
    """Return the JSON of a response as `requests` parses it."""
    try:
        return json.loads(body)
    except json.JSONDecodeError as error:
        raise NoJson(str(error)) from None
    except RecursionError as error:  # `requests` does not convert this error
        raise ObsidianError("invalid", str(error)) from None


def _python_error(answer: Any) -> ObsidianError:
    """Return Python's error for `answer["files"]` if the response has no such member."""
    if isinstance(answer, dict):
        return ObsidianError("invalid", "'files'")
    if isinstance(answer, list):
        return ObsidianError("invalid", "list indices must be integers or slices, not str")
    if isinstance(answer, str):
        return ObsidianError("invalid", "string indices must be integers, not 'str'")
    return ObsidianError("invalid", f"'{type(answer).__name__}' object is not subscriptable")
