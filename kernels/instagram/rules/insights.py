"""Insights: Meta's metrics of an account and its posts.

Source: https://developers.facebook.com/docs/instagram-platform/reference/instagram-user/insights and
…/instagram-media/insights (metrics, periods, metric types); the lists of valid metrics are those of v21.0, as recorded.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.errors import GraphError, missing_parameter
from soundstage.kernels.instagram.rules.times import day, within
from soundstage.kernels.types import Arguments

_MEDIA_METRICS = (
    "impressions", "reach", "replies", "saved", "video_views", "likes", "comments", "shares", "plays", "total_interactions",
    "follows", "profile_visits", "profile_activity", "navigation", "ig_reels_video_view_total_time", "ig_reels_avg_watch_time",
    "clips_replays_count", "ig_reels_aggregated_all_plays_count", "views",
)  # fmt: skip
_USER_METRICS = (
    "impressions", "reach", "follower_count", "website_clicks", "profile_views", "online_followers", "accounts_engaged",
    "total_interactions", "likes", "comments", "shares", "saves", "replies", "engaged_audience_demographics",
    "reached_audience_demographics", "follower_demographics", "follows_and_unfollows", "profile_links_taps", "views",
)  # fmt: skip
_TOTAL_ONLY = frozenset(
    {
        "accounts_engaged", "total_interactions", "likes", "comments", "shares", "saves", "replies", "views",
        "engaged_audience_demographics", "reached_audience_demographics", "follower_demographics", "follows_and_unfollows",
        "profile_links_taps",
    }
)  # fmt: skip
_SERIES_ONLY = frozenset({"follower_count", "online_followers"})
_TEXTS: dict[str, Object] = {
    "views": {"title": "Views", "description": "How often the post has been seen."},
    "reach": {"title": "Accounts reached", "description": "How many accounts have seen the post."},
    "likes": {"title": "Likes", "description": "How many likes the post has."},
    "comments": {"title": "Comments", "description": "How many comments the post has."},
    "shares": {"title": "Shares", "description": "How often the post has been shared."},
    "saved": {"title": "Saved", "description": "How many accounts have saved the post."},
    "total_interactions": {"title": "Post interactions", "description": "Likes, comments, shares and saves together."},
    "profile_visits": {"title": "Profile visits", "description": "How often the profile was opened from the post."},
    "follows": {"title": "Follows", "description": "How many accounts began to follow from the post."},
    "replies": {"title": "Replies", "description": "How many messages answer the story."},
}
"""Titles and descriptions of metrics without a row."""
_PERIODS = ("day", "week", "days_28", "month", "lifetime", "total_over_range")
_TYPES = ("default", "time_series", "total_value")
_MOST_DAYS = 30


def of_media(context: AppContext, post: Object, metrics: list[str], period: str) -> list[Object]:
    """Return the available insights of a post in the requested order.

    Raises:
        GraphError: There is no metric, or a metric or the period is unknown.
    """
    metrics = _validate(metrics, _MEDIA_METRICS, period)
    figures = post.get("figures") or {} if period == "lifetime" else {}
    result = []
    for name in metrics:
        row = context.get("insight", f"{post['id']}/insights/{name}/{period}")
        if row is not None:
            result.append(_to_reply(row, {"values": row.get("values", [])}))
        elif name in figures:
            row_of_figure = {
                "id": f"{post['id']}/insights/{name}/{period}",
                "name": name,
                "period": period,
                **_TEXTS.get(name, {}),
            }
            result.append(_to_reply(row_of_figure, {"values": [{"value": figures[name]}]}))
    return result


def of_user(context: AppContext, user_id: str, metrics: list[str], arguments: Arguments) -> list[Object]:
    """Return the available insights of an account in the requested order.

    Raises:
        GraphError: There is no metric, a metric is unknown or does not fit the metric type, or the range is impossible.
    """
    period = arguments.get("period") or "day"
    metric_type = arguments.get("metric_type") or None
    metrics = _validate(metrics, _USER_METRICS, period)
    _check_type(metrics, metric_type)
    _check_range(arguments)
    result = []
    for name in metrics:
        row = context.get("insight", f"{user_id}/insights/{name}/{period}")
        if row is None:
            continue
        values = [v for v in row.get("values", []) if within(v.get("end_time"), arguments)]
        if metric_type == "total_value" or ("values" not in row and "total_value" in row):
            result.append(_to_reply(row, {"total_value": _total(row, values, arguments.get("breakdown"))}))
        else:
            result.append(_to_reply(row, {"values": values}))
    return result


def _to_reply(row: Object, figures: Object) -> Object:
    texts = {name: row.get(name, "") for name in ("title", "description")}
    if "values" in figures:
        figures = {"values": [{k: v[k] for k in ("value", "end_time") if k in v} for v in figures["values"]]}
    return {"name": row.get("name"), "period": row.get("period"), **figures, **texts, "id": row["id"]}


def _total(row: Object, values: list[Object], breakdown: str | None) -> Object:
    """Return a metric's total: the row's, else the sum of its days; breakdowns only on request."""
    if "total_value" not in row:
        return {"value": sum(v["value"] for v in values if isinstance(v.get("value"), int | float))}
    total: Object = row["total_value"]
    return total if breakdown else {name: item for name, item in total.items() if name != "breakdowns"}


def _validate(metrics: list[str], valid: tuple[str, ...], period: str) -> list[str]:
    """Return the metrics as the request names them: the server joins all of them into one text."""
    requested = ",".join(metrics)
    if not requested:
        raise missing_parameter("metric")
    names = [name.strip() for name in requested.split(",")]
    for place, name in enumerate(names):
        if name not in valid:
            raise _must_be_one_of(f"metric[{place}]", valid)
    if period not in _PERIODS:
        raise _must_be_one_of("period", _PERIODS)
    return names


def _check_type(metrics: list[str], metric_type: str | None) -> None:
    if metric_type is None:
        needing = [name for name in metrics if name in _TOTAL_ONLY]
        if needing:
            raise GraphError(
                "invalid",
                f"(#100) The following metrics ({', '.join(needing)}) should be specified with parameter "
                "metric_type=total_value",
            )
        return
    if metric_type not in _TYPES:
        raise _must_be_one_of("metric_type", _TYPES)
    unfit = {"time_series": _TOTAL_ONLY, "total_value": _SERIES_ONLY}.get(metric_type, frozenset())
    for name in metrics:
        if name in unfit:
            raise GraphError(
                "invalid", f"(#100) The following metric ({name}) is incompatible with the metric type ({metric_type})"
            )


def _must_be_one_of(parameter: str, valid: tuple[str, ...]) -> GraphError:
    return GraphError("invalid", f"(#100) {parameter} must be one of the following values: {', '.join(valid)}")


def _check_range(arguments: Arguments) -> None:
    since, until = arguments.get("since"), arguments.get("until")
    if since and until and (day(until) - day(since)).days > _MOST_DAYS:
        raise GraphError("limit", "(#100) There cannot be more than 30 days (2592000 s) between since and until")
