"""The `delete_comment` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.identifiers import fullname
from soundstage.kernels.reddit.rules.identity import writer
from soundstage.kernels.reddit.rules.writing import delete
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Delete the account's own comment; report success whatever happened.

    A prefix in the id may name a post instead.
    """
    author, requested_id = writer(context), arguments["thing_id"]
    delete(context, fullname(requested_id, "t1"), author)
    return (
        "# Comment Deleted Successfully\n\n"
        f"The comment {requested_id} has been permanently deleted from Reddit.\n\n"
        "**Note**: This action cannot be undone. The comment content has been removed and cannot be recovered."
    )
