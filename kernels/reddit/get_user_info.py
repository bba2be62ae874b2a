"""The `get_user_info` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.errors import http_error
from soundstage.kernels.reddit.rules.host import host_of
from soundstage.kernels.reddit.rules.identifiers import username
from soundstage.kernels.reddit.rules.identity import user_named
from soundstage.kernels.reddit.rules.profiles import account_overview, activity, bullets, habits, recommendations
from soundstage.kernels.types import Arguments

_NOTHING_TO_ADVISE = "Maintain your balanced engagement across Reddit"


def run(context: AppContext, arguments: Arguments) -> str:
    """Return any user's profile with canned advice.

    Reddit reports no karma for a suspended account, which makes the server fail.
    """
    requested_name = arguments["username"]
    user = user_named(context, username(requested_name))
    if user is None:
        raise http_error(404, f"Failed to get user info for {requested_name}")
    overview = account_overview(user, host_of(context))
    user_habits = habits(user, context.now().timestamp())
    return (
        f"# User Information: u/{user['name']}\n\n{overview}\n\n"
        f"## Activity Analysis\n{bullets(activity(user_habits))}\n\n"
        f"## Recommendations\n{bullets(recommendations(user_habits), _NOTHING_TO_ADVISE)}"
    )
