"""The server's format of API responses (formatResults, formatCrawlResults and formatMapResults)."""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.kernels.engines.javascript import utf16_length, utf16_slice
from soundstage.kernels.tavily.rules.reading import PREVIEW


@dataclass(frozen=True, slots=True)
class Entry:
    """A result; empty members are omitted except title and content."""

    url: str
    title: str = "undefined"
    content: str = "undefined"
    raw_content: str = ""
    favicon: str = ""


def results(entries: list[Entry], images: list[tuple[str, str]] | None = None) -> str:
    """Format the results of a search or an extraction; `images` are URLs with descriptions, of which empty ones are omitted.

    An extraction has neither titles nor contents, which JavaScript prints as undefined.
    """
    lines = ["Detailed Results:"]
    for entry in entries:
        lines += [f"\nTitle: {entry.title}", f"URL: {entry.url}", f"Content: {entry.content}"]
        if entry.raw_content:
            lines.append(f"Raw Content: {entry.raw_content}")
        if entry.favicon:
            lines.append(f"Favicon: {entry.favicon}")
    if images:
        lines.append("\nImages:")
        for number, (address, description) in enumerate(images, start=1):
            lines.append(f"\n[{number}] URL: {address}")
            if description:
                lines.append(f"   Description: {description}")
    return "\n".join(lines)


def crawled(base: str, entries: list[Entry]) -> str:
    """Format the result of a crawl."""
    lines = ["Crawl Results:", f"Base URL: {base}", "\nCrawled Pages:"]
    for number, entry in enumerate(entries, start=1):
        lines.append(f"\n[{number}] URL: {entry.url}")
        if text := entry.raw_content:
            cut = utf16_slice(text, 0, PREVIEW) + "..." if utf16_length(text) > PREVIEW else text
            lines.append(f"Content: {cut}")
        if entry.favicon:
            lines.append(f"Favicon: {entry.favicon}")
    return "\n".join(lines)


def mapped(base: str, urls: list[str]) -> str:
    """Format the result of a site map."""
    pages = [f"\n[{number}] URL: {url}" for number, url in enumerate(urls, start=1)]
    return "\n".join(["Site Map Results:", f"Base URL: {base}", "\nMapped Pages:", *pages])
