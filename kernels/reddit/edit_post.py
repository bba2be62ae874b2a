from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.errors import Unfinished
from soundstage.kernels.reddit.rules.identifiers import fullname
from soundstage.kernels.reddit.rules.identity import writer
from soundstage.kernels.reddit.rules.safe_mode import write
from soundstage.kernels.reddit.rules.writing import edit
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | Unfinished:
    """Put another text into one's own post."""
    author, asked, text = writer(context), arguments["thing_id"], arguments["new_text"]
    return write(context, author, text, None, lambda: _edit(context, author, asked, text))


def _edit(context: AppContext, author: str, asked: str, text: str) -> str:
    edit(context, fullname(asked, "t3"), author, text)
    return (
        "# Post Edited Successfully\n\n"
        f"The post {asked} has been updated with your new content.\n\n"
        "**Note**:\n"
        "- Only self (text) posts can be edited\n"
        "- Post titles cannot be edited\n"
        "- Link posts cannot be edited\n"
        '- An "edited" marker will appear on your post'
    )
