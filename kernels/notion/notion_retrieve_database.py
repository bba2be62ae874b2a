"""The `notion_retrieve_database` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import access, data_sources, ids
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Return a database, the container of data sources."""
    access.check(context, "read_content")
    database = data_sources.find_database(context, ids.path_id(arguments["database_id"], "database_id"))
    return of_object(context, arguments, data_sources.database_to_reply(database))
