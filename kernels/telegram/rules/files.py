"""Files that tools read and write, only below the folders allowed by the MCP client or else the command line.

Source: telegram_mcp/runtime.py (_ensure_allowed_roots, _resolve_readable_file_path, _resolve_writable_file_path)
"""

from __future__ import annotations

from posixpath import basename, dirname, join, splitext

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import DiskError
from soundstage.kernels.telegram.rules.errors import Failed, Refusal

MIB = 1024 * 1024
_PICTURES = frozenset((".jpg", ".jpeg", ".png", ".webp"))
_EXTENSIONS = {
    "send_voice": frozenset((".ogg", ".opus")),
    "send_sticker": frozenset((".webp",)),
    "set_profile_photo": _PICTURES,
    "edit_chat_photo": _PICTURES,
}
_MOST_BYTES = {
    "send_file": 200 * MIB,
    "upload_file": 200 * MIB,
    "send_voice": 100 * MIB,
    "send_sticker": 10 * MIB,
    "set_profile_photo": 50 * MIB,
    "edit_chat_photo": 50 * MIB,
}
_FORBIDDEN = "*?[]{}~\x00"
_DOWNLOADS = "downloads"
_UNSUPPORTED, _EMPTY, _ERROR, _READY = "unsupported", "empty", "error", "ready"


def readable(context: AppContext, tool: str, given: str) -> str:
    """Return the absolute path of a file that a tool may read.

    Raises:
        Refusal: The server's first objection: no roots, the path's form, not found, outside the roots, not a file, the
            extension or
            the size.
        Failed: A file is used as a folder.
    """
    roots = allowed_roots(context, tool)
    _check_form(given)
    place = _placed(context, roots, given.strip())
    entry = context.disk.stat(place)
    if entry is None:
        if _is_below_file(context, place):
            raise Failed("NotADirectoryError")
        raise Refusal("not_found", f"File not found: {given}")
    _check_within(context, roots, place)
    if entry.kind != "file":
        raise Refusal("invalid", f"Path is not a file: {place}")
    _check_extension(tool, place)
    limit = _MOST_BYTES.get(tool)
    if limit is not None and entry.size > limit:
        raise Refusal("limit", f"File is too large for {tool}: {entry.size} bytes (limit: {limit} bytes).")
    return place


def writable(context: AppContext, tool: str, given: str | None, default_name: str) -> str:
    """Return the absolute path of a file that a tool may create.

    The default is `default_name` in the first root's folder for downloads.

    Raises:
        Refusal: There are no roots, or the path is malformed or outside the roots.
        Failed: A file is used as a folder.
    """
    roots = allowed_roots(context, tool)
    if given and given.strip():
        _check_form(given)
        place = _placed(context, roots, given.strip())
    else:
        place = _placed(context, roots, f"{_DOWNLOADS}/{basename(default_name)}")
    _check_within(context, roots, place)
    _check_within(context, roots, dirname(place))
    _check_extension(tool, place)
    if _is_below_file(context, place):
        raise Failed("NotADirectoryError")
    return place


def allowed_roots(context: AppContext, tool: str) -> list[str]:
    """Return the folders that may be read and written, which the MCP client reports on each call.

    Raises:
        Refusal: No folder is allowed.
    """
    client_roots = context.first("mcp_roots") or {"status": _UNSUPPORTED}
    status = client_roots["status"]
    if status == _READY and client_roots.get("paths"):
        return list(dict.fromkeys(context.disk.resolve(path) for path in client_roots["paths"]))
    own = _roots_of_server(context)
    if own and (status == _UNSUPPORTED or _may_fall_back(context)):
        return own
    if status == _UNSUPPORTED:
        reason = "until allowed roots are configured. Provide server CLI roots and/or client MCP Roots."
    elif status == _ERROR:
        reason = "because MCP Roots could not be verified safely. Check MCP client/server logs."
    else:
        reason = "because the client provided an empty MCP Roots list (deny-all)."
    raise Refusal("permission", f"{tool} is disabled {reason}")


def _roots_of_server(context: AppContext) -> list[str]:
    setting = context.get("setting", "roots") or {}
    return [line.strip() for line in str(setting.get("value") or "").splitlines() if line.strip()]


def _may_fall_back(context: AppContext) -> bool:
    """Return TELEGRAM_ALLOW_SERVER_ROOTS_FALLBACK, which is off by default."""
    setting = context.get("setting", "TELEGRAM_ALLOW_SERVER_ROOTS_FALLBACK") or {}
    return str(setting.get("value") or "").strip().lower() in ("1", "true", "yes", "on")


def _check_form(given: str) -> None:
    path = given.strip()
    if not path:
        raise Refusal("invalid", "Path must not be empty.")
    if any(sign in path for sign in _FORBIDDEN):
        raise Refusal("invalid", "Path contains disallowed wildcard/shell patterns.")
    if ".." in path.split("/"):
        raise Refusal("invalid", "Path traversal is not allowed.")


def _placed(context: AppContext, roots: list[str], path: str) -> str:
    """Return an absolute path without symlinks; a relative path is below the first root."""
    first = context.disk.stat(roots[0])
    base = dirname(roots[0]) if first is not None and first.kind == "file" else roots[0]
    try:
        return context.disk.resolve(join(base, path))
    except DiskError as error:
        raise Failed("OSError", str(error)) from None


def _check_within(context: AppContext, roots: list[str], place: str) -> None:
    for root in roots:
        entry = context.disk.stat(root)
        is_file = entry is not None and entry.kind == "file"
        if place == root or (not is_file and place.startswith(root.rstrip("/") + "/")):
            return
    raise Refusal("permission", "Path is outside allowed roots.")


def _check_extension(tool: str, place: str) -> None:
    allowed = _EXTENSIONS.get(tool)
    if allowed is not None and splitext(place)[1].lower() not in allowed:
        text = f"File extension is not allowed for {tool}. Allowed: {', '.join(sorted(allowed))}."
        raise Refusal("invalid", text)


def _is_below_file(context: AppContext, place: str) -> bool:
    """Return whether an ancestor of a path is a file, so that the path cannot exist."""
    above = dirname(place)
    while above != "/":
        entry = context.disk.stat(above)
        if entry is not None:
            return entry.kind == "file"
        above = dirname(above)
    return False
