"""Filling a feed: corpus posts by people with matching interests, suitable comments, figures and notices."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from soundstage.worlds.builder.corpora import Piece, Texts, fits, local_topics
from soundstage.worlds.builder.drafts import Draft, Plan
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.posts import add_comment, add_post
from soundstage.worlds.builder.spec import Feed, Spec, Voice
from soundstage.worlds.builder.traces import Traces
from soundstage.worlds.builder.voices import voiced

_DAY = 86_400_000
_HOUR = 3_600_000
_FITS = 30  # from this score on a comment is about a post
_GENERAL = 20  # characters (three times as many in English) up to which a comment suits any post
# When people post and comment: percent of them → minutes since midnight.
_RHYTHM = ((0, 450), (12, 560), (30, 740), (45, 840), (60, 1090), (92, 1370), (100, 1435))
# Delay from a post to a comment on it, in minutes by percentile.
_COMMENTS = ((0, 6), (25, 70), (55, 480), (80, 2400), (100, 11_000))


def add_feed(plan: Plan, spec: Spec, traces: Traces, pieces: Texts, app: str, wanted: int) -> None:
    """Add posts with their comments until there are as many posts as wanted, topic by topic."""
    feed = spec.feeds.get(app, Feed())
    authors = _authors(plan, app, feed)
    have = sum(1 for _ in plan.of_kind("post", app))
    count = {person.key: 0 for person, _ in authors}
    for topic in feed.topics:
        made: list[tuple[Piece, Draft]] = []
        for piece in pieces.take_all("post", topic):
            able = [p for p, topics in authors if topic in topics and _writes(p, piece)]
            if have < wanted and able:
                draw = Draw(spec.seed, "feed", app, piece.id)
                author = min(draw.shuffled(able), key=lambda p: count[p.key])
                post = _post(spec, traces, piece, author, app, draw)
                count[author.key] += 1
                have += 1
                made.append((piece, post))
        local = topic in local_topics()
        everybody = [
            p for p in plan.of_kind("person", app)
            if (p.values["standing"] == "active" or p.values["interests"]) and p.key != spec.user
            and (p.values["here"] or not local)
        ]  # fmt: skip
        _comment(spec, traces, pieces.take_all("comment", topic), made, everybody, authors, topic, feed.voice)
        _answer(spec, traces, pieces, made)


def finish_feed(plan: Plan, spec: Spec, app: str) -> None:
    """Add figures that match the feed's contents, followers, and the user's notices."""
    user = plan.find(spec.user, "person")
    posts = list(plan.of_kind("post", app))
    for post in posts:
        _figures(spec, post, user)
    _accounts(plan, spec, app, posts, user)
    if user is not None and app in user.values["accounts"]:
        _notices(plan, spec, app, posts, user)


def _authors(plan: Plan, app: str, feed: Feed) -> list[tuple[Draft, list[str]]]:
    """Return the authors of posts with their topics."""
    authors = [
        (p, p.values["interests"] if p.values["standing"] == "outside" else feed.authors.get(p.key, []))
        for p in plan.of_kind("person", app)
    ]
    return [(person, topics) for person, topics in authors if topics]


def _post(spec: Spec, traces: Traces, piece: Piece, author: Draft, app: str, draw: Draw) -> Draft:
    begin = max(spec.begin_ms, author.at) + _DAY
    at = _waking(spec, begin + draw.below((spec.epoch_ms - _DAY - begin) // 1000) * 1000, draw)
    value = {
        "key": piece.id, "app": app, "by": author.key, "title": piece.title, "text": piece.text, "topic": piece.topic,
        "created": at, "video": draw.percent(9),
    }  # fmt: skip
    return add_post(traces, value, None, f"post {piece.id}")


def _comment(
    spec: Spec, traces: Traces, pieces: list[Piece], made: list[tuple[Piece, Draft]], people: list[Draft],
    authors: list[tuple[Draft, list[str]]], topic: str, usual: Voice,
) -> None:  # fmt: skip
    """Put each comment below the post that shares most of its rarer words; distribute general comments over all posts."""
    if not made:
        return
    interested = {p.key for p, topics in authors if topic in topics}
    pairs = [_pairs(f"{piece.title}{piece.text}") for piece, _ in made]
    for comment in pieces:
        draw = Draw(spec.seed, "comment", comment.id)
        words = _pairs(comment.text)
        scores = [sum(60 // sum(pair in p for p in pairs) for pair in words & own) for own in pairs]
        best = max(scores)
        if best < _FITS and len(comment.text) > _GENERAL * (1 if "zh" in comment.lang else 3):
            continue  # it is about something, and that is not here
        likely = [
            post for (_, post), score in zip(made, scores, strict=True) if score == best and score >= _FITS
        ] or [post for piece, post in made if piece.lang in (comment.lang, "mixed")] or [post for _, post in made]  # fmt: skip
        post = min(draw.shuffled(likely), key=lambda p: len(p.values["comments"]))
        taken = {c.values["author"] for c in post.values["comments"]} | {post.values["author"]}
        able = [
            (p, 4 if p.key in interested else 1)
            for p in people if p not in taken and p.at < post.at and _writes(p, comment)
        ]  # fmt: skip
        if able:
            at = _after(spec, post.at, draw)
            author = draw.weighted(able)
            own = author.values["voice"]
            text = voiced(comment.text, own if own.emoji else usual, Draw(spec.seed, "voice", comment.id))
            add_comment(traces, post, author, text, at, f"comment {comment.id}")


def _answer(spec: Spec, traces: Traces, pieces: Texts, made: list[tuple[Piece, Draft]]) -> None:
    """Authors answer some of the comments."""
    for piece, post in made:
        for comment in list(post.values["comments"]):
            draw = Draw(spec.seed, "answer", comment.key)
            if comment.values["answers"] is None and draw.percent(22):
                reply = pieces.take("reply", [piece.lang], post.values["author"])
                if reply is not None:
                    at = min(comment.at + draw.between(2, 900) * 60_000, spec.epoch_ms - draw.between(60, 7000) * 1000)
                    if at > comment.at:
                        add_comment(
                            traces, post, post.values["author"], reply.text, at, f"reply {reply.id}", answers=comment
                        )


def _figures(spec: Spec, post: Draft, user: Draft | None) -> None:
    """Likes by how much was said below a post; newer posts come first in lists, with some luck."""
    values = post.values
    draw = Draw(spec.seed, "figures", post.key)
    if values["likes"] is None:
        values["likes"] = draw.between(3, 60) + len(values["comments"]) * draw.weighted([(9, 50), (31, 35), (140, 15)])
    likes = values["likes"]
    if values["collects"] is None:
        values["collects"] = likes * draw.between(6, 55) // 100
    if values["shares"] is None:
        values["shares"] = likes * draw.between(1, 9) // 100
    own = user is not None and values["author"] is user
    if not own and post.at < spec.epoch_ms - _DAY:
        values["liked"] = values["liked"] or draw.percent(9)
        values["collected"] = values["collected"] or draw.percent(5)
    values["order"] = (spec.epoch_ms - post.at) * draw.between(40, 160) // 100
    for comment in values["comments"]:
        if comment.values["likes"] is None:
            comment.values["likes"] = draw.weighted([(0, 40), (draw.between(1, 6), 40), (likes // 12, 20)])
        comment.values["order"] = comment.at if comment.values["root"] else -comment.values["likes"]
        comment.values["liked"] = comment.values["author"] is not user and draw.percent(25 if own else 3)


def _accounts(plan: Plan, spec: Spec, app: str, posts: list[Draft], user: Draft | None) -> None:
    """Set followers, followed accounts and received likes, and the relations between the user and all others."""
    earned: dict[str, int] = {}
    for post in posts:
        author = post.values["author"].key
        earned[author] = earned.get(author, 0) + post.values["likes"] + post.values["collects"]
    relations: list[str] = []
    for person in plan.of_kind("person", app):
        account = person.values["accounts"][app]
        draw = Draw(spec.seed, "account", app, person.key)
        got = earned.get(person.key, 0)
        account.setdefault("received", got * draw.between(110, 340) // 100 + draw.between(0, 90))
        account.setdefault("followers", account["received"] // draw.between(3, 9) + draw.between(8, 70))
        account.setdefault("following", draw.between(24, 380))
        outside = person.values["standing"] == "outside"
        likely = [("follows", 24), ("both", 10), ("fans", 8), ("none", 58)] if outside else [("both", 60), ("none", 40)]
        if person is not user:
            account.setdefault("relation", draw.weighted(likely))
            relations.append(account["relation"])
    if user is not None and app in user.values["accounts"]:
        account = user.values["accounts"][app]
        account["following"] = max(account["following"], sum(r in ("follows", "both") for r in relations))
        account["followers"] = max(account["followers"], sum(r in ("fans", "both") for r in relations))


def _notices(plan: Plan, spec: Spec, app: str, posts: list[Draft], user: Draft) -> None:
    """Comments and answers to the user, likes and favourites of their posts, and new followers; newest first."""
    number = 0

    def add(form: str, person: Draft, at: int, post: Draft | None = None, comment: Draft | None = None) -> None:
        nonlocal number
        number += 1
        removed = bool(comment and comment.values["removed"])
        values = {"form": form, "person": person, "post": post, "comment": comment, "order": -at, "removed": removed}
        plan.add(Draft("notice", f"{app}/{number}", app, at, values))

    others = [p for p in plan.of_kind("person", app) if p is not user]
    for post in posts:
        own = post.values["author"] is user
        for comment in post.values["comments"]:
            answered = comment.values["answers"]
            if comment.values["author"] is user:
                continue
            if answered is not None and answered.values["author"] is user:
                add("answer", comment.values["author"], comment.at, post, comment)
            elif own:
                add("comment", comment.values["author"], comment.at, post, comment)
        if own and not post.values["closed"]:
            draw = Draw(spec.seed, "notices", post.key)
            able = [p for p in others if p.at < post.at]
            for form, most in (("like", 7), ("collect", 3)):
                figure = post.values["likes" if form == "like" else "collects"]
                for person in draw.sample(able, min(figure, draw.between(1, most))):
                    add(form, person, _after(spec, post.at, draw), post)
    for person in others:
        if person.values["accounts"][app]["relation"] in ("fans", "both"):
            draw = Draw(spec.seed, "follows", person.key)
            begin = max(person.at, user.at, spec.begin_ms)
            add("follow", person, begin + draw.below((spec.epoch_ms - begin) // 1000) * 1000)
    own_self = plan.find(f"self.{app}", "self")
    if own_self is not None:
        own_self.values["unread"] = {**spec.feeds[app].unread, "all": sum(spec.feeds[app].unread.values())}


def _pairs(text: str) -> set[str]:
    """Pairs of neighbouring Chinese characters, and Latin words of some length."""
    words = {word.strip(".,;:!?\"'()").lower() for word in text.split() if word.isascii() and len(word) > 4}
    return words | {
        text[i : i + 2] for i in range(len(text) - 1) if all("\u4e00" <= c <= "\u9fff" for c in text[i : i + 2])
    }


def _writes(person: Draft, piece: Piece) -> bool:
    """Return whether a person would write this; a text in both languages needs a person who has both."""
    both = piece.lang != "mixed" or {"zh", "en"} <= set(person.values["languages"])
    return both and fits(piece.lang, piece.by, person)


def _waking(spec: Spec, at: int, draw: Draw) -> int:
    """Return a time on the same day at which people look at their phones."""
    day = datetime.fromtimestamp(at // 1000, UTC).astimezone(ZoneInfo(spec.zone)).replace(hour=0, minute=0, second=0)
    return int((day + timedelta(minutes=draw.from_steps(_RHYTHM), seconds=draw.below(60))).timestamp()) * 1000


def _after(spec: Spec, at: int, draw: Draw) -> int:
    """Return a time after another one, neither at night nor after the epoch."""
    later = at + draw.from_steps(_COMMENTS) * 60_000 + draw.below(60) * 1000
    local = datetime.fromtimestamp(later // 1000, UTC).astimezone(ZoneInfo(spec.zone))
    if local.hour < 7:
        later += (7 - local.hour) * _HOUR + draw.below(100) * 60_000
    return later if later < spec.epoch_ms else at + (spec.epoch_ms - at) * draw.between(10, 95) // 100
