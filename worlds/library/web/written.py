"""The hand-written sites: a folder for each host under `sites/`, with `site.yaml` and a file for each page.

A page is Markdown (or, with the suffix `.html`, a complete document that is not rendered) below a front matter with these
members, all but `title` optional: `title`, `description`, `published`, `author`, `lang`, `path` (if the file's path is not the
address), `heading` (if the page's headline is not its title), `form`, `price` and `stock`. The address of `news/metro.md` is
`/news/metro`, that of `news/index.md` is `/news`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from soundstage import source

HERE = Path(__file__).parent
KINDS = ("portal", "shop", "blog", "documentation", "university", "newspaper", "forum", "company", "wiki")
CONTENT_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".txt": "text/plain",
}
DEFAULT_METHOD = "post"


class Unreadable(ValueError):
    """An invalid file of the web. The message names the file and the missing part."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form: an input of `type`, a `textarea`, or a `select` of `options`."""

    name: str
    label: str
    type: str = "text"
    required: bool = False
    options: tuple[str, ...] = ()
    value: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """A form on a page and the endpoint that handles it.

    `kind` is the endpoint's; `rule` adds to the rules of the fields. The response is the page at `then`, or `reply`: Markdown
    with `{id}`, `{total}` and the fields' names in braces.
    """

    action: str
    kind: str
    button: str
    fields: tuple[Field, ...]
    method: str = DEFAULT_METHOD
    then: str = ""
    reply: str = ""
    collection: str = ""
    rule: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Site:
    """One host of the web.

    `nav` is a list of (words, path or address); `search` is the path of its search form, if it has one, which leads to a page
    of the site; `answers` are the addresses that scripts call and that no page has a form for.
    """

    host: str
    name: str
    title: str
    description: str
    lang: str
    kind: str
    scheme: str = "https"
    colour: str = "#1f4e79"
    footer: str = ""
    search: str = ""
    nav: tuple[tuple[str, str], ...] = ()
    answers: tuple[Form, ...] = ()

    @property
    def origin(self) -> str:
        """Return the scheme and host, such as `https://shop.example`."""
        return f"{self.scheme}://{self.host}"


@dataclass(frozen=True, slots=True)
class Page:
    """A page before it is rendered: `text` is Markdown, or a whole document where `raw`."""

    site: str
    path: str
    title: str
    description: str
    text: str
    lang: str
    heading: str = ""
    published: str | None = None
    author: str | None = None
    raw: bool = False
    form: Form | None = None
    price: str = ""
    stock: str = ""


@dataclass(frozen=True, slots=True)
class Asset:
    """A picture or file next to the pages."""

    url: str
    content_type: str
    content: bytes

    @property
    def base64(self) -> str:
        """Return the content in base64."""
        return base64.b64encode(self.content).decode("ascii")


def _yaml(text: str) -> Any:
    return source.parse(text, "a page").value


def site_of(text: str, host: str) -> Site:
    """`site.yaml` of a host."""
    content = _yaml(text)
    nav = tuple((str(words), str(to)) for entry in content.pop("nav", []) for words, to in entry.items())
    answers = tuple(form_of({"button": "", **entry}) for entry in content.pop("answers", []))
    site = Site(host=host, nav=nav, answers=answers, **content)
    if site.kind not in KINDS:
        raise Unreadable(f"{host}: kind {site.kind!r} has no layout; there are {', '.join(KINDS)}")
    return site


def form_of(content: dict[str, Any]) -> Form:
    """`form` of a front matter; its fields are written `name: label`, or `name: {label, type, required, options, value}`.

    A label that ends in `*` is of a field that must be filled.
    """
    fields = []
    for name, about in content.get("fields", {}).items():
        more = {"label": about} if isinstance(about, str) else dict(about)
        if more.get("label", "").endswith("*"):
            more |= {"label": more["label"][:-1].rstrip(), "required": True}
        more["options"] = tuple(str(option) for option in more.get("options", ()))
        fields.append(Field(name=name, **more))
    return Form(**(content | {"fields": tuple(fields)}))


def page_of(text: str, site: Site, path: str) -> Page:
    """One file of a site, its front matter between two lines of `---`."""
    opening, head, body = text.split("---\n", 2) if text.startswith("---\n") else ("", "", text)
    content = _yaml(head) or {}
    if opening or "title" not in content:
        raise Unreadable(f"{site.host}{path}: a page begins with a front matter that gives its title")
    published = content.get("published")
    return Page(
        site=site.host,
        path=content.get("path", path),
        title=str(content["title"]),
        description=content.get("description", ""),
        text=body.strip() + "\n",
        lang=content.get("lang", site.lang),
        heading=content.get("heading", ""),
        published=published,
        author=content.get("author"),
        form=form_of(content["form"]) if "form" in content else None,
        price=str(content.get("price", "")),
        stock=str(content.get("stock", "")),
    )


def _path(file: Path, folder: Path) -> str:
    parts = file.relative_to(folder).with_suffix("").as_posix().split("/")
    return "/" + "/".join(parts[:-1] if parts[-1] == "index" else parts)


def read(folder: Path = HERE / "sites") -> tuple[list[Site], list[Page], list[Asset]]:
    """Everything that is written by hand, by host and path."""
    sites: list[Site] = []
    pages: list[Page] = []
    assets: list[Asset] = []
    for home in sorted(folder.iterdir()):
        site = site_of((home / "site.yaml").read_text("utf-8"), home.name)
        sites.append(site)
        for file in _files(home):
            if file.suffix == ".md":
                pages.append(page_of(file.read_text("utf-8"), site, _path(file, home)))
            elif file.suffix == ".html":
                pages.append(replace(page_of(file.read_text("utf-8"), site, _path(file, home)), raw=True))
            else:
                where = f"{site.origin}/{file.relative_to(home).as_posix()}"
                assets.append(Asset(where, CONTENT_TYPES[file.suffix], file.read_bytes()))
    return sites, pages, assets


def _files(home: Path) -> Iterator[Path]:
    return (file for file in sorted(home.rglob("*")) if file.is_file() and file.name != "site.yaml")
