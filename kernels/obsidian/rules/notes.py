"""A note's metadata in Obsidian: front matter, tags and times (`getFileMetadataObject`)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines import javascript
from soundstage.kernels.obsidian.rules import yaml_reader
from soundstage.kernels.obsidian.rules.vault import text_of, times
from soundstage.kernels.obsidian.rules.yaml_source import YamlError

_FRONT = re.compile(r"---(?:\r\n|\r|\n)(.*?)(?:\r\n|\r|\n)---(?:\r\n|\r|\n|$)", re.DOTALL)
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_TICKS = re.compile(r"(`+)")
_TAG = re.compile(r"(?:^|(?<=\s))#([^\s#!\"$%&'()*+,.:;<=>?@^`{|}~\[\]\\\u2000-\u206f\u2e00-\u2e7f]+)")


def front_matter_text(content: str) -> re.Match[str] | None:
    """Match the front matter at the start of a note, between two lines `---`; group 1 is its text."""
    return _FRONT.match(content)


def note_object(context: AppContext, file: Object) -> Object:
    """Return a note as the REST API shows it: `{tags, frontmatter, stat: {ctime, mtime, size}, path, content}`.

    `tags` are distinct, have no `#`, and start with the tags of the front matter.
    """
    content = text_of(file)
    made, changed = times(context, file)
    matter = {name: value for name, value in front_matter(content).items() if name != "position"}
    stat = {"ctime": made, "mtime": changed, "size": len(content.encode("utf-8", "surrogatepass"))}
    return {
        "tags": _tags(matter, content),
        "frontmatter": matter,
        "stat": stat,
        "path": file["path"],
        "content": content,
    }


@lru_cache(maxsize=4096)
def front_matter(content: str) -> dict[str, Any]:
    """Return a note's front matter; {} if there is none or if it is not a valid YAML mapping."""
    result = front_matter_text(content)
    if result is None:
        return {}
    try:
        value = yaml_reader.read(result[1])
    except YamlError:
        return {}
    return value if isinstance(value, dict) else {}


def _tags(matter: dict[str, Any], content: str) -> list[str]:
    given = matter.get("tags")
    named = [javascript.text(tag) for tag in given if javascript.is_true(tag)] if isinstance(given, list) else []
    return list(dict.fromkeys(tag.removeprefix("#") for tag in (*named, *_tags_in_text(content))))


@lru_cache(maxsize=4096)
def _tags_in_text(content: str) -> tuple[str, ...]:
    """Return the tags in a note's text: `#` and a word that is not only digits, outside of front matter and code."""
    matter = front_matter_text(content)
    results: list[str] = []
    fence = ""
    for line in content[matter.end() if matter else 0 :].split("\n"):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
                continue
            if mark[1].startswith(fence):
                fence = ""
                continue
        if not fence:
            results += [tag for tag in _TAG.findall(_without_code(line)) if not re.fullmatch(r"[0-9]+", tag)]
    return tuple(results)


def _without_code(line: str) -> str:
    """Return a line without inline code, which is enclosed in equal numbers of backticks."""
    parts = _TICKS.split(line)  # text, ticks, text, ticks …
    last = {len(ticks): place for place, ticks in enumerate(parts) if place % 2}
    shown: list[str] = []
    place = 0
    while place < len(parts):
        length = len(parts[place])
        if place % 2 and last[length] > place:
            place = next(p for p in range(place + 2, len(parts), 2) if len(parts[p]) == length)
            shown.append("``")
        else:
            shown.append(parts[place])
        place += 1
    return "".join(shown)
