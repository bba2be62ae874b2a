"""Rendering Markdown pages as HTML: one layout for each kind of site, below `layouts/`.

In the Markdown, a line `[[list /news/ 5]]` inserts a list of the five newest pages of the site below `/news/` (all without a
number), and `[[form]]` inserts the page's form, which is otherwise at the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from soundstage.worlds.library.web.written import Page, Site

_LIST = re.compile(r"^\[\[list (?P<below>/\S*)(?: (?P<newest>\d+))?\]\]$", re.MULTILINE)
_FORM = "[[form]]"
_MARKDOWN = MarkdownIt("commonmark", {"html": True, "xhtmlOut": False}).enable(["table", "strikethrough"])
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WORDS = {
    "en": {
        "search": "Search",
        "by": "By ",
        "then": ", ",
        "price": "Price: ",
        "latest": "Latest",
        "edited": "Last edited ",
    },
    "zh": {
        "search": "搜索",
        "by": "作者：",
        "then": "，",
        "price": "价格：",
        "latest": "最新",
        "edited": "最后编辑：",
    },
}


def day(published: str | None, lang: str) -> str:
    """An ISO date as people write it: 12 March 2026, 2026年3月12日; nothing for no date."""
    if published is None:
        return ""
    year, month, number = (int(part) for part in published.split("-"))
    return f"{year}年{month}月{number}日" if lang == "zh" else f"{number} {_MONTHS[month - 1]} {year}"


def _newest_first(pages: Sequence[Page]) -> list[Page]:
    by_name = sorted(pages, key=lambda page: page.path)
    return sorted(by_name, key=lambda page: page.published or "", reverse=True)


def _listed(page: Page) -> str:
    separator = "，" if page.lang == "zh" else ", "
    date = f"{separator}{day(page.published, page.lang)}" if page.published else ""
    about = f"  \n  {page.description}" if page.description else ""
    return f"- [{page.title}]({page.path}){date}{about}"


class Layouts:
    """Renders the pages of every site; `pages` are those of one site, for its lists."""

    def __init__(self, folder: Path = Path(__file__).parent / "layouts") -> None:
        self._layouts = Environment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._layouts.filters["day"] = day

    def render(self, site: Site, page: Page, pages: Sequence[Page]) -> str:
        """The document of a page."""
        if page.raw:
            return page.text
        others = _newest_first([other for other in pages if other.path != page.path])

        def listed(match: re.Match[str]) -> str:
            below = [other for other in others if other.path.startswith(match["below"]) and not other.raw]
            return "\n".join(_listed(other) for other in below[: int(match["newest"] or len(below))])

        text = _LIST.sub(listed, page.text)
        form = self._form(page)
        if _FORM in text:
            text, form = text.replace(_FORM, str(form)), Markup()
        return self._layouts.get_template(
            f"{site.kind}.html"
        ).render(
            site=site,
            page=page,
            heading=page.heading or page.title,
            body=Markup(_MARKDOWN.render(text)),  # noqa: S704 our own text
            form=form,
            latest=[other for other in others if other.published and other.lang == page.lang][:5],
            words=WORDS[page.lang if page.lang in WORDS else "en"],
        )

    def _form(self, page: Page) -> Markup:
        if page.form is None:
            return Markup()
        return Markup(self._layouts.get_template("form.html").render(form=page.form))  # noqa: S704 a template escapes
