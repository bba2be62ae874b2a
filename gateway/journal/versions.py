"""Whether a session's apps are still those that it was made with: what is compared across versions says so."""

from __future__ import annotations

from collections.abc import Mapping

from soundstage.contexts.engine.library import NAME, shared
from soundstage.servers.catalogue import app_names, load_app

HEADER = "Soundstage-Versions"
"""The response header that says it, beside bodies that are plain lists."""


def moved_on(made_with: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """The apps that are of another version by now, and the library: then, and now. `made_with` is `read_versions` of a session's
    context."""
    known = app_names()
    now = {app: load_app(app).version for app in made_with if app in known}
    if NAME in made_with:
        now[NAME] = shared().digest
    return {app: (then, now[app]) for app, then in made_with.items() if app in now and then != now[app]}


def told(moved: Mapping[str, tuple[str, str]]) -> str:
    """It in words; empty where nothing has moved on."""
    return ", ".join(
        f"{app} was {then} when the session was made and is {now} now" for app, (then, now) in moved.items()
    )
