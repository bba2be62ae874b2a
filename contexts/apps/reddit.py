"""Reddit's entities, with the field names of its API (https://www.reddit.com/dev/api)."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("reddit")

# Environment variables of the MCP server; `rules/host.py` has their names. A variable without a row has its recorded
# value: credentials set, safe mode off, locale en-US, zone UTC. A row without a value means that the variable is not
# set.
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

# Reddit shows neither karma nor age of a suspended account.
USER = TABLES.entity(
    "user",
    Column("name", Text, primary_key=True, info=id_format("user_{lower:8}")),
    Column("id", Text),
    Column("comment_karma", Integer),
    Column("link_karma", Integer),
    Column("total_karma", Integer),
    Column("is_mod", Flag),
    Column("is_gold", Flag),
    Column("is_employee", Flag),
    Column("is_suspended", Flag),
    Column("created_utc", REAL),
)

# `approved` accounts may read a private community and post in a restricted one. `ratelimited` means that Reddit limits
# the account's rate there.
SUBREDDIT = TABLES.entity(
    "subreddit",
    Column("display_name", Text, primary_key=True, info=id_format("community_{lower:6}")),
    Column("title", Text),
    Column("description", Text),
    Column("public_description", Text),
    Column("subscribers", Integer),
    Column("active_user_count", Integer),
    Column("created_utc", REAL),
    Column("over18", Flag),
    Column("subreddit_type", Text),
    Column("url", Text),
    Column("approved", Json, info=shape([str])),
    Column("ratelimited", Flag),
)

# A flair or rule without a `subreddit`, as in recorded states, belongs to every community.
FLAIR = TABLES.entity(
    "flair",
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("subreddit", Text),
    Column("text", Text),
    Column("type", Text),
    Column("text_editable", Flag),
    parents={"subreddit": "subreddit"},
)
RULE = TABLES.entity(
    "rule",
    Column("id", Text, primary_key=True, info=id_format("rule_{hex:8}")),
    Column("subreddit", Text),
    Column("kind", Text),
    Column("short_name", Text),
    Column("description", Text),
    Column("violation_reason", Text),
    Column("priority", Integer),
    Column("created_utc", REAL),
    parents={"subreddit": "subreddit"},
)

# `saved` refers to the state's default account. A post deleted by its author remains, with `[deleted]` as author and
# text and `removed_by_category` "deleted". Without `num_comments` the comments are counted.
POST = TABLES.entity(
    "post",
    Column("id", Text, primary_key=True, info=id_format("1p{lower:5}")),
    Column("subreddit", Text),
    Column("title", Text),
    Column("author", Text),
    Column("selftext", Text),
    Column("is_self", Flag),
    Column("url", Text),
    Column("score", Integer),
    Column("upvote_ratio", REAL),
    Column("num_comments", Integer),
    Column("created_utc", REAL),
    Column("permalink", Text),
    Column("link_flair_text", Text),
    Column("link_flair_template_id", Text),
    Column("locked", Flag),
    Column("archived", Flag),
    Column("over_18", Flag),
    Column("spoiler", Flag),
    Column("edited", Json, info=shape((bool, float, int))),
    Column("removed_by_category", Text),
    Column("saved", Flag),
    parents={"subreddit": "subreddit"},
)

# `parent_id` and `link_id` are fullnames (t3_ for a post, t1_ for a comment). The API no longer returns `ups` and
# `downs`; orders use them if they are set.
COMMENT = TABLES.entity(
    "comment",
    Column("id", Text, primary_key=True, info=id_format("n4{lower:5}")),
    Column("author", Text),
    Column("body", Text),
    Column("score", Integer),
    Column("ups", Integer),
    Column("downs", Integer),
    Column("subreddit", Text),
    Column("parent_id", Text),
    Column("link_id", Text),
    Column("created_utc", REAL),
    Column("is_submitter", Flag),
    Column("permalink", Text),
    Column("link_title", Text),
    Column("saved", Flag),
    Column("edited", Json, info=shape((bool, float, int))),
    Column("controversiality", Integer),
)

# Things saved by accounts other than the default one; `fullname` is that of a post or a comment.
SAVED = TABLES.entity(
    "saved_thing",
    Column("user", Text, primary_key=True),
    Column("fullname", Text, primary_key=True),
    parents={"user": "user"},
)

# The memory of an account's server in safe mode: the time of its last write (ms) and the SHA-256 of recent texts,
# newest last.
SAFE_MODE = TABLES.entity(
    "safe_mode",
    Column("user", Text, primary_key=True),
    Column("last_write", Integer),
    Column("recent", Json, info=shape([{"hash": str, "subreddit": str}])),
)

MEANING = Meaning(
    automatic={
        "post": frozenset(
            {"score", "upvote_ratio", "num_comments", "created_utc", "permalink", "edited", "removed_by_category"}
        ),
        "comment": frozenset({"score", "created_utc", "permalink", "link_title", "is_submitter", "edited"}),
    },
    bookkeeping=frozenset({"safe_mode"}),
    outward=frozenset({"post", "comment"}),
    text={
        "post": lambda row: "\n".join(row[k] for k in ("title", "selftext", "url") if row.get(k)),
        "comment": lambda row: row.get("body") or "",
        "subreddit": lambda row: row.get("display_name") or "",
    },
)
