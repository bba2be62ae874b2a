"""Hand-written documentation: a Markdown file for each library.

The front matter describes the library. `## page` names the page of the following snippets, `### title` begins a snippet, and
`### [v1.9.3] title` one for that version only; its last code block is its code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from soundstage.source import parse
from soundstage.worlds.library.docs.listed import Snippet

_FRONT = re.compile(r"\A---\n(.*?)\n---\n(.*)\Z", re.DOTALL)
_HEADS = re.compile(r"^(##|###) (?:\[(\S+)\] )?(.+)$", re.MULTILINE)
_CODE = re.compile(r"\A(.*?)\n*```(\w*)\n(.*?)\n```\Z", re.DOTALL)


def written(folder: Path) -> Iterator[tuple[dict[str, Any], list[Snippet]]]:
    """Each library with its pieces, by the names of the files."""
    for file in sorted(folder.glob("*.markdown"), key=lambda file: file.stem):
        head = _FRONT.match(file.read_text("utf-8"))
        if head is None:
            raise ValueError(f"{file.name} has no front matter")
        yield parse(head[1], file.name).value, list(_pieces(head[2]))


def _pieces(text: str) -> Iterator[Snippet]:
    page = ""
    heads = list(_HEADS.finditer(text))
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        if head[1] == "##":
            page = head[3]
            continue
        body = text[head.end() : after.start() if after else len(text)].strip()
        code = _CODE.match(body)
        prose, language, lines = (code[1], code[2], code[3]) if code else (body, None, None)
        yield Snippet(head[3], prose.strip(), language or None, lines, page, head[2])
