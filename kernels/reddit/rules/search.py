"""Search in posts: the terms of a query, matching and order.

A query consists of words and quoted phrases, all of which must occur in the title or the text of a post, and of the
operators that the tool's description and Reddit's help list: `author:`, `subreddit:`, `title:`, `selftext:`, `url:`,
`flair:`, `self:yes`, `nsfw:no`. By default, posts with more of the words in their titles come first, then those with
higher scores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from soundstage.kernels.reddit.rules.listings import created, hotness, score
from soundstage.kernels.reddit.rules.things import Post

_TERM = re.compile(r'(?:(?P<operator>[a-z]+):)?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')
_YES = frozenset({"yes", "true", "1"})

_FIELDS: dict[str, Callable[[Post], str]] = {
    "title": lambda post: post.title,
    "selftext": lambda post: post.selftext,
    "url": lambda post: "" if post.is_self else post.url,
    "flair": lambda post: post.flair or "",
}
_NAMES: dict[str, Callable[[Post], str]] = {
    "author": lambda post: post.author,
    "subreddit": lambda post: post.subreddit,
}
_FLAGS: dict[str, Callable[[Post], bool]] = {"self": lambda post: post.is_self, "nsfw": lambda post: post.over_18}


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase in lower case; `operator` is empty if it may occur anywhere."""

    operator: str
    text: str

    def fits(self, post: Post) -> bool:
        """Return whether a post matches this term."""
        if self.operator in _NAMES:
            return _NAMES[self.operator](post).lower() == self.text
        if self.operator in _FLAGS:
            return _FLAGS[self.operator](post) == (self.text in _YES)
        if self.operator in _FIELDS:
            return self.text in _FIELDS[self.operator](post).lower()
        return self.text in f"{post.title}\n{post.selftext}".lower()


def terms(query: str) -> list[Term]:
    """Return the terms of a query; an unknown operator is part of a word."""
    result = []
    for match in _TERM.finditer(query.lower()):
        text = match["word"] if match["phrase"] is None else match["phrase"]
        operator = match["operator"] or ""
        if operator and operator not in _NAMES.keys() | _FLAGS.keys() | _FIELDS.keys():
            operator, text = "", f"{operator}:{text}"
        if text:
            result.append(Term(operator, text))
    return result


def hits(query: str, posts: Sequence[Post], sort: str) -> list[Post]:
    """Return the posts that match a query in the requested order; a query without words matches none."""
    wanted = terms(query)
    matches = [post for post in posts if wanted and all(term.fits(post) for term in wanted)]
    return sorted(matches, key=_orders(wanted)[sort], reverse=True)


def _orders(wanted: Sequence[Term]) -> dict[str, Callable[[Post], tuple[float, ...]]]:
    def in_title(post: Post) -> int:
        """Count the words of the query in the title of a post."""
        return sum(term.text in post.title.lower() for term in wanted if not term.operator)

    return {
        "relevance": lambda post: (in_title(post), score(post)),
        "hot": lambda post: (hotness(post),),
        "top": lambda post: (score(post),),
        "new": lambda post: (created(post),),
        "comments": lambda post: (post.num_comments,),
    }
