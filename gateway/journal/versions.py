"""Detect apps whose version has changed since a session was created, so that comparisons across versions report it."""

from __future__ import annotations

from collections.abc import Mapping

from soundstage.contexts.engine.library import NAME, shared
from soundstage.servers.catalogue import app_names, load_app

HEADER = "Soundstage-Versions"
"""The response header with this information, for bodies that are plain lists."""


def moved_on(made_with: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the apps whose version has changed, and the library: the old and the new one.

    `made_with` is `read_versions` of a session's context.
    """
    known = app_names()
    now = {app: load_app(app).version for app in made_with if app in known}
    if NAME in made_with:
        now[NAME] = shared().digest
    return {app: (then, now[app]) for app, then in made_with.items() if app in now and then != now[app]}


def describe_changes(moved: Mapping[str, tuple[str, str]]) -> str:
    """Describe the changes; empty if nothing has changed."""
    return ", ".join(
        f"{app} was {then} when the session was made and is {now} now" for app, (then, now) in moved.items()
    )
