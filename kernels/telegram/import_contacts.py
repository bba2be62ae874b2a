"""The `import_contacts` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Import contacts by phone.

    Every entry fails: the server looks for the library's class in a module that does not have it.
    """
    server.client()
    if arguments["contacts"]:
        raise Failed("AttributeError")
    return "Imported 0 contacts."
