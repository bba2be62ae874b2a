"""The introduction (server name, version, instructions) of an address."""

from __future__ import annotations

from typing import Any

from soundstage.gateway.calls.call import Toolset
from soundstage.gateway.registry.records import Introduction

SERVER_INFO = "io.modelcontextprotocol/serverInfo"


def introduce(result: dict[str, Any], chosen: Introduction, toolset: Toolset) -> None:
    """Set the introduction in a result of either revision.

    An app's own address introduces itself as the real server does, a shared address as its session has `chosen`.
    """
    app = toolset.single_app
    server = {"name": chosen.name, "version": chosen.version} if app is None else app.server
    if "serverInfo" in result:
        result["serverInfo"] = server
        result.pop("instructions", None)
    meta = result.get("_meta")
    if isinstance(meta, dict) and SERVER_INFO in meta:
        result["_meta"] = {**meta, SERVER_INFO: server}
    if app is None and chosen.instructions is not None and ("serverInfo" in result or "supportedVersions" in result):
        result["instructions"] = chosen.instructions
