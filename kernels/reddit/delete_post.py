from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.identifiers import fullname
from soundstage.kernels.reddit.rules.identity import writer
from soundstage.kernels.reddit.rules.writing import delete
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Take back one's own post, or what else of one's own the id's prefix names; success is reported whatever there was."""
    author, asked = writer(context), arguments["thing_id"]
    delete(context, fullname(asked, "t3"), author)
    return (
        "# Post Deleted Successfully\n\n"
        f"The post {asked} has been permanently deleted from Reddit.\n\n"
        "**Note**: This action cannot be undone. The post content has been removed and cannot be recovered."
    )
