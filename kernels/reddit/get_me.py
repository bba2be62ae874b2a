"""The `get_me` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.errors import http_error
from soundstage.kernels.reddit.rules.host import host_of
from soundstage.kernels.reddit.rules.identity import signed_in, user_named
from soundstage.kernels.reddit.rules.profiles import account_overview
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the profile of the acting account, without advice."""
    user = user_named(context, signed_in(context, "Fetching your account"))
    if user is None:
        raise http_error(401, "Failed to get authenticated user info")
    return f"# Your Account: u/{user['name']}\n\n{account_overview(user, host_of(context))}"
