"""Reddit's faults: failed requests between the server and Reddit, and drifts caused by other people.

Source: `src/client/reddit-client.ts` and `src/client/errors.ts` in https://github.com/jordanburke/reddit-mcp-server. An
unsuccessful response is reported by its status; an exception of `fetch` with the context of the reading tool's request.
"""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.reddit.rules.errors import RedditError
from soundstage.kernels.reddit.rules.writing import new_id
from soundstage.servers.faults import Hit, any_row, worded
from soundstage.servers.reply import Answer

_CLIENT = "github:jordanburke/reddit-mcp-server src/client/reddit-client.ts"
SOURCES = {
    "rate_limit": f"{_CLIENT} (fetchWithRetry gives the 429 back once its retries are used up)",
    "unavailable": f"{_CLIENT} (HttpError)",
    "server_error": f"{_CLIENT} (HttpError)",
    "auth_expired": f"{_CLIENT} (authenticate)",
    "timeout": f"{_CLIENT} (what fetch of Node.js throws, classified as UnknownError)",
}
# The description of each tool's request after an error status, and after an exception.
_REQUESTS = {
    "get_user_info": ("Failed to get user info for {username}",) * 2,
    "get_me": ("Failed to get authenticated user info",) * 2,
    "get_my_overview": ("Failed to get your overview",) * 2,
    "get_my_saved": ("Failed to get saved content",) * 2,
    "get_user_posts": ("Failed to get posts for user {username}",) * 2,
    "get_user_comments": ("Failed to get comments for user {username}",) * 2,
    "get_reddit_post": ("Failed to get post with ID {post_id}",) * 2,
    "get_top_posts": ("Failed to get top posts", "Failed to get top posts for {place}"),
    "browse_subreddit": ("Failed to browse r/{place}", "Failed to browse r/{place} ({sort})"),
    "get_subreddit_info": ("Failed to get subreddit info for {subreddit_name}",) * 2,
    "get_subreddit_rules": ("Failed to get rules for r/{subreddit_name}",) * 2,
    "get_post_flairs": ("Failed to get post flairs for r/{subreddit_name}",) * 2,
    "get_trending_subreddits": ("Failed to get trending subreddits",) * 2,
    "search_reddit": ("Failed to search Reddit", "Failed to search Reddit for: {query}"),
    "get_post_comments": ("Failed to get comments", "Failed to get comments for post {post_id}"),
    "get_more_comments": ("Failed to expand comments for {link_id}",) * 2,
    "create_post": ("Failed to create post", ""),
    "reply_to_post": ("Failed to reply", ""),
    "edit_post": ("Failed to edit", ""),
    "edit_comment": ("Failed to edit", ""),
}
_REPEATS_BODY = frozenset({"delete_post", "delete_comment"})
"""Tools that repeat the body of a failed response."""
_WORDS = (
    "Came here to say the same.",
    "Any news on this?",
    "This worked for me, thank you.",
)


def rate_limit(hit: Hit) -> Answer:
    """Word a 429 response."""
    return _status(hit, 429, "Too Many Requests", "rate_limited")


def unavailable(hit: Hit) -> Answer:
    """Word a 503 response."""
    return _status(hit, 503, "Service Unavailable", "unavailable")


def server_error(hit: Hit) -> Answer:
    """Word a 500 response."""
    return _status(hit, 500, "Internal Server Error", "internal")


def auth_expired(hit: Hit) -> Answer:
    """Word a failed authentication."""
    return _thrown(hit, "Authentication failed: 401 Unauthorized", "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Word a request that got no response."""
    return _thrown(hit, "fetch failed", "unavailable")


def comment_arrives(context: AppContext, random: Random) -> bool:
    """Add a user's comment to a post that is open to comments."""
    post = any_row(context, "post", random, {"locked": None}) or any_row(context, "post", random, {"locked": False})
    author = any_row(context, "user", random)
    if post is None or author is None:
        return False
    key = new_id(context, "comment", "n50001")
    context.create(
        "comment",
        {
            "id": key,
            "author": author["name"],
            "body": random.choice(_WORDS),
            "score": 1,
            "subreddit": post.get("subreddit", ""),
            "parent_id": f"t3_{post['id']}",
            "link_id": f"t3_{post['id']}",
            "link_title": post.get("title", ""),
            "created_utc": float(int(context.now().timestamp())),
            "is_submitter": author["name"] == post.get("author"),
        },
    )
    if post.get("num_comments") is not None:
        context.update("post", post["id"], {"num_comments": post["num_comments"] + 1})
    return True


def post_locked(context: AppContext, random: Random) -> bool:
    """Lock a post as a moderator."""
    post = any_row(context, "post", random)
    if post is None or post.get("locked"):
        return False
    context.update("post", post["id"], {"locked": True})
    return True


def votes_arrive(context: AppContext, random: Random) -> bool:
    """Raise the score of a post."""
    post = any_row(context, "post", random)
    if post is None:
        return False
    context.update("post", post["id"], {"score": (post.get("score") or 0) + random.randint(1, 20)})
    return True


DRIFTS = {"comment_arrives": comment_arrives, "post_locked": post_locked, "votes_arrive": votes_arrive}


def _status(hit: Hit, status: int, reason: str, kind: ErrorKind) -> Answer:
    """Word an unsuccessful response of Reddit."""
    if hit.tool.name in _REPEATS_BODY:
        return worded(hit, RedditError(kind, f"HTTP {status}: {reason}"))
    if (unseen := _unseen_post(hit)) is not None:
        return unseen
    return worded(hit, RedditError(kind, _joined(_request(hit, 0), f"HTTP {status}")))


def _thrown(hit: Hit, message: str, kind: ErrorKind) -> Answer:
    """Word an exception before any response."""
    if (unseen := _unseen_post(hit)) is not None:
        return unseen
    return worded(hit, RedditError(kind, _joined(_request(hit, 1), message)))


def _unseen_post(hit: Hit) -> Answer | None:
    """Word a failed reply to a post: the server first looks for the post and reports any failure as a missing post."""
    parent = str(hit.arguments.get("post_id", "")) if hit.tool.name == "reply_to_post" else "t1_"
    if parent.strip().lower().startswith("t1_"):
        return None
    return worded(hit, RedditError("not_found", f"Post with ID {parent} does not exist or is not accessible"))


def _request(hit: Hit, way: int) -> str:
    names = {
        **dict.fromkeys(("username", "post_id", "subreddit_name", "query", "link_id"), "undefined"),
        "sort": "hot",
        **hit.arguments,
        "place": hit.arguments.get("subreddit") or "home",
    }
    return _REQUESTS.get(hit.tool.name, ("", ""))[way].format(**names)


def _joined(context: str, message: str) -> str:
    return f"{context}: {message}" if context else message
