"""Search in posts: what a query asks for, which posts answer it, and which come first.

A query is words and quoted phrases, which all have to occur in the title or the text of a post, and the operators that the
tool announces and Reddit's help lists: `author:`, `subreddit:`, `title:`, `selftext:`, `url:`, `flair:`, `self:yes`, `nsfw:no`.
Where nothing else is asked for, posts with more of the words in their titles come first, then those with higher scores.
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
    """A word or phrase in lower case; `operator` is empty for one that may occur anywhere."""

    operator: str
    text: str

    def fits(self, post: Post) -> bool:
        """Whether a post answers this part of a query."""
        if self.operator in _NAMES:
            return _NAMES[self.operator](post).lower() == self.text
        if self.operator in _FLAGS:
            return _FLAGS[self.operator](post) == (self.text in _YES)
        if self.operator in _FIELDS:
            return self.text in _FIELDS[self.operator](post).lower()
        return self.text in f"{post.title}\n{post.selftext}".lower()


def terms(query: str) -> list[Term]:
    """The parts of a query. What looks like an operator and is none is a word."""
    found = []
    for match in _TERM.finditer(query.lower()):
        text = match["word"] if match["phrase"] is None else match["phrase"]
        operator = match["operator"] or ""
        if operator and operator not in _NAMES.keys() | _FLAGS.keys() | _FIELDS.keys():
            operator, text = "", f"{operator}:{text}"
        if text:
            found.append(Term(operator, text))
    return found


def hits(query: str, posts: Sequence[Post], sort: str) -> list[Post]:
    """The posts that answer a query, in the order asked for; a query of nothing but signs has none."""
    wanted = terms(query)
    found = [post for post in posts if wanted and all(term.fits(post) for term in wanted)]
    return sorted(found, key=_orders(wanted)[sort], reverse=True)


def _orders(wanted: Sequence[Term]) -> dict[str, Callable[[Post], tuple[float, ...]]]:
    def in_title(post: Post) -> int:
        return sum(term.text in post.title.lower() for term in wanted if not term.operator)

    return {
        "relevance": lambda post: (in_title(post), score(post)),
        "hot": lambda post: (hotness(post),),
        "top": lambda post: (score(post),),
        "new": lambda post: (created(post),),
        "comments": lambda post: (post.num_comments,),
    }
