"""The `edit_comment` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.errors import Unfinished
from soundstage.kernels.reddit.rules.identifiers import fullname
from soundstage.kernels.reddit.rules.identity import writer
from soundstage.kernels.reddit.rules.safe_mode import write
from soundstage.kernels.reddit.rules.writing import edit
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | Unfinished:
    """Replace the text of the account's own comment."""
    author, requested_id, text = writer(context), arguments["thing_id"], arguments["new_text"]
    return write(context, author, text, None, lambda: _edit(context, author, requested_id, text))


def _edit(context: AppContext, author: str, requested_id: str, text: str) -> str:
    edit(context, fullname(requested_id, "t1"), author, text)
    return (
        "# Comment Edited Successfully\n\n"
        f"The comment {requested_id} has been updated with your new content.\n\n"
        '**Note**: An "edited" marker will appear on your comment to show it has been modified.'
    )
