"""The documentation of libraries, a page for each address that snippets of it name, and an opening page for each library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.web.written import Page, Site

_COLOURS = ("#1d4ed8", "#0f766e", "#7c2d12", "#6d28d9", "#166534", "#9f1239")


def pages(facts: Mapping[tuple[str, str], Sequence[Object]]) -> tuple[list[Site], list[Page]]:
    """The sites and pages of all libraries; libraries of one host share a site."""
    by_host: dict[str, list[Object]] = {}
    for library in facts.get(("docs", "library"), ()):
        by_host.setdefault(_host(library["site"]), []).append(library)
    sites: list[Site] = []
    made: list[Page] = []
    for number, (host, libraries) in enumerate(sorted(by_host.items())):
        sites.append(_site(host, libraries, _COLOURS[number % len(_COLOURS)]))
        made += _pages(sites[-1], libraries, facts["docs", "snippet"])
    return sites, made


def _host(address: str) -> str:
    return urlsplit(address).netloc


def _path(address: str) -> str:
    return urlsplit(address).path.rstrip("/")


def _site(host: str, libraries: Sequence[Object], colour: str) -> Site:
    maker = libraries[0]["id"].split("/")[1].capitalize()
    names = " and ".join(library["title"] for library in libraries)
    return Site(
        host=host,
        name=f"{maker} documentation",
        title=f"{maker} documentation",
        description=f"Documentation of {names}.",
        lang="en",
        kind="documentation",
        colour=colour,
        nav=tuple((library["title"], _path(library["site"])) for library in libraries),
    )


def _pages(site: Site, libraries: Sequence[Object], snippets: Sequence[Object]) -> Iterator[Page]:
    links = "\n".join(
        f"- [{library['title']}]({_path(library['site'])}): {library['description']}" for library in libraries
    )
    yield Page(site.host, "/", site.title, site.description, links, "en")
    titles: set[str] = {site.title}
    for library in libraries:
        by_chapter: dict[str, list[Object]] = {}
        for snippet in snippets:
            if snippet["library_id"] == library["id"]:
                by_chapter.setdefault(_path(snippet["address"]), []).append(snippet)
        chapters: dict[str, str] = {}
        for path, parts in by_chapter.items():
            title = parts[0]["title"]
            chapters[path] = title if title not in titles else f"{title} ({library['title']})"
            titles.add(chapters[path])
        yield _opening(site, library, chapters)
        for path, parts in by_chapter.items():
            if path != _path(library["site"]):
                yield _chapter(site, library, path, chapters[path], parts)


def _opening(site: Site, library: Object, chapters: Mapping[str, str]) -> Page:
    versions = library.get("versions") or []
    lines = [library["description"], ""]
    if versions:
        lines += [
            f"Newest version: {versions[0]}." + (f" Older: {', '.join(versions[1:])}." if versions[1:] else ""),
            "",
        ]
    lines += [f"- [{title}]({path})" for path, title in chapters.items() if path != _path(library["site"])]
    day = library["updated"][:10]
    path = _path(library["site"]) or "/"
    return Page(site.host, path, library["title"], library["description"], "\n".join(lines), "en", published=day)


def _chapter(site: Site, library: Object, path: str, title: str, parts: Sequence[Object]) -> Page:
    lines: list[str] = []
    for number, part in enumerate(parts):
        if number:
            lines += [f"## {part['title']}", ""]
        lines += [part["prose"], ""]
        if part.get("version"):
            lines += [f"*Of version {part['version']}.*", ""]
        if part.get("code"):
            lines += [f"```{part.get('language') or ''}", part["code"], "```", ""]
    lines.append(f"Back to [{library['title']}]({_path(library['site'])})")
    about = f"{library['title']}: {', '.join(part['title'] for part in parts)}."
    return Page(site.host, path, title, about, "\n".join(lines), "en", published=library["updated"][:10])
