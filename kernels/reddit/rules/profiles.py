"""Remarks on accounts, posts and communities, with the server's canned advice.

Source: `src/utils/formatters.ts` in https://github.com/jordanburke/reddit-mcp-server.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.reddit.rules.host import Host, iso
from soundstage.kernels.reddit.rules.javascript import divide
from soundstage.kernels.reddit.rules.things import Post

_DAY = 86_400
_FIVE_YEARS = 365 * 5
_UNKNOWN = float("nan")
"""The result of arithmetic with an absent value; every comparison with it is false."""


def bullets(sentences: list[str], otherwise: str = "") -> str:
    """Format sentences as a Markdown list; an empty list becomes one bullet with `otherwise`."""
    return "\n".join(f"- {sentence}" for sentence in sentences or [otherwise])


def account_overview(user: Object, host: Host) -> str:
    """Format the profile of an account, up to its address.

    Raises:
        Thrown: The account is suspended, so Reddit reports no karma.
    """
    comment, link = user.get("comment_karma"), user.get("link_karma")
    total = user.get("total_karma")
    if total is None and comment is not None and link is not None:
        total = comment + link
    standings = (("is_mod", "Moderator"), ("is_gold", "Reddit Gold Member"), ("is_employee", "Reddit Employee"))
    status = [name for flag, name in standings if user.get(flag)]
    return (
        "## Profile Overview\n"
        f"- Username: u/{user['name']}\n"
        "- Karma:\n"
        f"  - Comment Karma: {host.number(comment)}\n"
        f"  - Post Karma: {host.number(link)}\n"
        f"  - Total Karma: {host.number(total)}\n"
        f"- Account Status: {', '.join(status or ['Regular User'])}\n"
        f"- Account Created: {iso(user.get('created_utc'))}\n"
        f"- Profile URL: https://reddit.com/user/{user['name']}"
    )


@dataclass(frozen=True, slots=True)
class Habits:
    """The basis of the advice to an account.

    Contains the ratio of comment karma to post karma, the age in days and the moderator status.
    """

    karma_ratio: float
    days: float
    is_mod: bool


def habits(user: Object, now: float) -> Habits:
    """Return how an account uses Reddit; `now` is in seconds."""
    comment, link = user.get("comment_karma", _UNKNOWN), user.get("link_karma", _UNKNOWN)
    return Habits(comment / (link or 1), (now - user.get("created_utc", _UNKNOWN)) / _DAY, bool(user.get("is_mod")))


def activity(habits: Habits) -> list[str]:
    """Return remarks on the activity of an account."""
    if habits.karma_ratio > 5:
        remarks = ["Primarily a commenter, highly engaged in discussions"]
    elif habits.karma_ratio < 0.2:
        remarks = ["Content creator, focuses on sharing posts"]
    else:
        remarks = ["Balanced participation in both posting and commenting"]
    if habits.days < 30:
        remarks.append("New user, still exploring Reddit")
    elif habits.days > _FIVE_YEARS:
        remarks.append("Long-time Redditor with extensive platform experience")
    if habits.is_mod:
        remarks.append("Community leader who helps maintain subreddit quality")
    return remarks


def recommendations(habits: Habits) -> list[str]:
    """Return recommendations for an account."""
    advice = []
    if habits.karma_ratio > 5:
        advice.append("Consider creating more posts to share your expertise")
    elif habits.karma_ratio < 0.2:
        advice.append("Engage more in discussions to build community connections")
    if habits.days < 30:
        advice.append("Explore popular subreddits in your areas of interest")
        advice.append("Read community guidelines before posting")
    if habits.is_mod:
        advice.append("Share moderation insights with other community leaders")
    return advice


def engagement(post: Post) -> list[str]:
    """Return remarks on a post's reception, from its score, ratio of upvotes and comments."""
    score = _UNKNOWN if post.score is None else post.score
    ratio = _UNKNOWN if post.upvote_ratio is None else post.upvote_ratio
    remarks = []
    if score > 1000 and ratio > 0.95:
        remarks.append("Highly successful post with strong community approval")
    elif score > 100 and ratio > 0.8:
        remarks.append("Well-received post with good engagement")
    elif ratio < 0.5:
        remarks.append("Controversial post that sparked debate")
    if post.num_comments > 100:
        remarks.append("Generated significant discussion")
    elif post.num_comments > score * 0.5:
        remarks.append("Highly discussable content with active comment section")
    elif post.num_comments == 0:
        remarks.append("Yet to receive community interaction")
    return remarks


def best_time(post: Post, host: Host) -> str:
    """Return the remark on the hour of a post, in the host's time zone."""
    at = host.local(post.created_utc)
    if at is not None and 14 <= at.hour <= 18:
        return "Posted during peak engagement hours (2 PM - 6 PM), good timing!"
    if at is not None and (at.hour >= 23 or at.hour <= 5):
        return "Consider posting during more active hours (morning to evening)"
    return "Posted during moderate activity hours, timing could be optimized"


def health(community: Object, now: float) -> list[str]:
    """Return remarks on a community: its size, share of active subscribers and age."""
    subscribers = community.get("subscribers", 0)
    days = (now - community.get("created_utc", _UNKNOWN)) / _DAY
    remarks = []
    if subscribers > 1_000_000:
        remarks.append("Major subreddit with massive following")
    elif subscribers > 100_000:
        remarks.append("Well-established community")
    elif subscribers < 1000:
        remarks.append("Niche community, potential for growth")
    if (share := _share_active(community)) > 0.1:
        remarks.append("Highly active community with strong engagement")
    elif share < 0.01:
        remarks.append("Could benefit from more community engagement initiatives")
    if days > _FIVE_YEARS:
        remarks.append("Mature subreddit with established culture")
    elif days < 90:
        remarks.append("New subreddit still forming its community")
    return remarks


def tips(community: Object) -> list[str]:
    """Return advice on how to take part in a community."""
    subscribers = community.get("subscribers", 0)
    advice = []
    if subscribers > 1_000_000:
        advice.append("Post during peak hours for maximum visibility")
        advice.append("Ensure content is highly polished due to high competition")
    elif subscribers < 1000:
        advice.append("Engage actively to help grow the community")
        advice.append("Consider cross-posting to related larger subreddits")
    if _share_active(community) > 0.1:
        advice.append("Quick responses recommended due to high activity")
    return advice


def _share_active(community: Object) -> float:
    active = community.get("active_user_count")
    return _UNKNOWN if active is None else divide(active, community.get("subscribers", 0))
