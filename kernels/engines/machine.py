"""Folders and files of every Linux system, which several apps recognise and no session stores."""

from __future__ import annotations

_FOLDERS = "bin boot dev etc home lib media mnt opt proc root run sbin srv sys tmp usr var"

SYSTEM_FILES = frozenset(
    f"/etc/{name}" for name in ("group", "hostname", "hosts", "os-release", "passwd", "resolv.conf", "shadow")
)

OF_THE_SYSTEM = SYSTEM_FILES | {
    "/",
    *(f"/{name}" for name in _FOLDERS.split()),
    *(f"/usr{rest}" for rest in ("/bin", "/lib", "/local", "/share")),
    *(f"/var{rest}" for rest in ("/lib", "/log", "/spool")),
}
