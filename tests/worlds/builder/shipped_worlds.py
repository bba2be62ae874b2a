"""Shipped worlds, built once for all tests of a process. Tests must not change them."""

from __future__ import annotations

from functools import cache

from soundstage.worlds import load_world
from soundstage.worlds.builder.build import Built, build_checked


@cache
def checked(name: str) -> Built:
    """Return a world that was built from its spec and passed all checks."""
    spec = load_world(name).spec
    assert spec is not None, f"{name} is given as objects"
    return build_checked(spec)
