"""What is said of an account and of a community, with the server's canned advice.

Source: `src/utils/formatters.ts` in https://github.com/jordanburke/reddit-mcp-server.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.reddit.rules.host import Host, iso
from soundstage.kernels.reddit.rules.javascript import divided
from soundstage.kernels.reddit.rules.things import Post

_DAY = 86_400
_FIVE_YEARS = 365 * 5
_UNKNOWN = float("nan")
"""What a sum with something absent comes to; it is neither more nor less than anything."""


def bullets(sentences: list[str], otherwise: str = "") -> str:
    """Sentences as a list in Markdown; of none, a bullet with what stands for them."""
    return "\n".join(f"- {sentence}" for sentence in sentences or [otherwise])


def account_overview(user: Object, host: Host) -> str:
    """The profile of an account, up to its address.

    Raises:
        Thrown: for a suspended account, whose karma Reddit does not tell.
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
    """What the advice to an account goes by: comment karma for each point of post karma, its age, whether it moderates."""

    karma_ratio: float
    days: float
    is_mod: bool


def habits(user: Object, now: float) -> Habits:
    """How an account uses Reddit; `now` is in seconds."""
    comment, link = user.get("comment_karma", _UNKNOWN), user.get("link_karma", _UNKNOWN)
    return Habits(comment / (link or 1), (now - user.get("created_utc", _UNKNOWN)) / _DAY, bool(user.get("is_mod")))


def activity(habits: Habits) -> list[str]:
    if habits.karma_ratio > 5:
        found = ["Primarily a commenter, highly engaged in discussions"]
    elif habits.karma_ratio < 0.2:
        found = ["Content creator, focuses on sharing posts"]
    else:
        found = ["Balanced participation in both posting and commenting"]
    if habits.days < 30:
        found.append("New user, still exploring Reddit")
    elif habits.days > _FIVE_YEARS:
        found.append("Long-time Redditor with extensive platform experience")
    if habits.is_mod:
        found.append("Community leader who helps maintain subreddit quality")
    return found


def recommendations(habits: Habits) -> list[str]:
    found = []
    if habits.karma_ratio > 5:
        found.append("Consider creating more posts to share your expertise")
    elif habits.karma_ratio < 0.2:
        found.append("Engage more in discussions to build community connections")
    if habits.days < 30:
        found.append("Explore popular subreddits in your areas of interest")
        found.append("Read community guidelines before posting")
    if habits.is_mod:
        found.append("Share moderation insights with other community leaders")
    return found


def engagement(post: Post) -> list[str]:
    """How a post is received, from its score, its share of votes in favour and its comments."""
    score = _UNKNOWN if post.score is None else post.score
    ratio = _UNKNOWN if post.upvote_ratio is None else post.upvote_ratio
    found = []
    if score > 1000 and ratio > 0.95:
        found.append("Highly successful post with strong community approval")
    elif score > 100 and ratio > 0.8:
        found.append("Well-received post with good engagement")
    elif ratio < 0.5:
        found.append("Controversial post that sparked debate")
    if post.num_comments > 100:
        found.append("Generated significant discussion")
    elif post.num_comments > score * 0.5:
        found.append("Highly discussable content with active comment section")
    elif post.num_comments == 0:
        found.append("Yet to receive community interaction")
    return found


def best_time(post: Post, host: Host) -> str:
    """What is said of the hour, on the host's clock, at which something was posted."""
    at = host.local(post.created_utc)
    if at is not None and 14 <= at.hour <= 18:
        return "Posted during peak engagement hours (2 PM - 6 PM), good timing!"
    if at is not None and (at.hour >= 23 or at.hour <= 5):
        return "Consider posting during more active hours (morning to evening)"
    return "Posted during moderate activity hours, timing could be optimized"


def health(community: Object, now: float) -> list[str]:
    """How a community does: its size, the share of subscribers who are there now, its age."""
    subscribers = community.get("subscribers", 0)
    days = (now - community.get("created_utc", _UNKNOWN)) / _DAY
    found = []
    if subscribers > 1_000_000:
        found.append("Major subreddit with massive following")
    elif subscribers > 100_000:
        found.append("Well-established community")
    elif subscribers < 1000:
        found.append("Niche community, potential for growth")
    if (share := _share_active(community)) > 0.1:
        found.append("Highly active community with strong engagement")
    elif share < 0.01:
        found.append("Could benefit from more community engagement initiatives")
    if days > _FIVE_YEARS:
        found.append("Mature subreddit with established culture")
    elif days < 90:
        found.append("New subreddit still forming its community")
    return found


def tips(community: Object) -> list[str]:
    """How to take part in a community."""
    subscribers = community.get("subscribers", 0)
    found = []
    if subscribers > 1_000_000:
        found.append("Post during peak hours for maximum visibility")
        found.append("Ensure content is highly polished due to high competition")
    elif subscribers < 1000:
        found.append("Engage actively to help grow the community")
        found.append("Consider cross-posting to related larger subreddits")
    if _share_active(community) > 0.1:
        found.append("Quick responses recommended due to high activity")
    return found


def _share_active(community: Object) -> float:
    active = community.get("active_user_count")
    return _UNKNOWN if active is None else divided(active, community.get("subscribers", 0))
