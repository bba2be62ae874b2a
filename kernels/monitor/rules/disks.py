"""The machine's disks: mounts, usage, and I/O counters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import DiskError
from soundstage.kernels.engines.machine import OF_THE_SYSTEM
from soundstage.kernels.monitor.rules.figures import as_go, counter, level

_GB = 1024**3
_BLOCK = 4096
_BYTES_AN_INODE = 16384

# mountpoint → device, file system type, size, and the range of its usage
_USUAL = {
    "/": ("/dev/vda1", "ext2/ext3", 80 * _GB, (0.41, 0.44)),
    "/boot/efi": ("/dev/vda15", "msdos", _GB // 8, (0.05, 0.05)),
    "/data": ("/dev/vdb", "xfs", 200 * _GB, (0.56, 0.60)),
}
_OPTIONS = ("rw", "relatime")
_PSEUDO = (
    ("proc", "/proc", "proc", ("rw", "nosuid", "nodev", "noexec", "relatime")),
    ("sysfs", "/sys", "sysfs", ("rw", "nosuid", "nodev", "noexec", "relatime")),
    ("udev", "/dev", "devtmpfs", ("rw", "nosuid", "relatime")),
    ("tmpfs", "/run", "tmpfs", ("rw", "nosuid", "nodev", "noexec", "relatime")),
)


@dataclass(frozen=True, slots=True)
class Mount:
    """A file system; sizes are in bytes."""

    mountpoint: str
    device: str
    fstype: str
    total: int
    used: int
    inodes_used: int
    read_only: bool

    def usage(self, path: str) -> dict[str, Any]:
        """Return the usage, labelled with the requested path."""
        reserved = self.total // 20 if self.fstype.startswith("ext") else 0
        free = max(0, self.total - self.used - reserved)
        inodes = self.total // _BYTES_AN_INODE
        current = min(self.inodes_used, inodes)
        return {
            "path": path,
            "fstype": self.fstype,
            "total": self.total,
            "free": free,
            "used": self.used,
            "usedPercent": as_go(self.used / (self.used + free) * 100 if self.used + free else 0),
            "inodesTotal": inodes,
            "inodesUsed": current,
            "inodesFree": inodes - current,
            "inodesUsedPercent": as_go(current / inodes * 100 if inodes else 0),
        }

    def partition(self) -> dict[str, Any]:
        """Return the partition as the server lists it."""
        options = ["ro" if self.read_only else "rw", *_OPTIONS[1:]]
        kind = "ext4" if self.fstype.startswith("ext") else "vfat" if self.fstype == "msdos" else self.fstype
        return {"device": self.device, "mountpoint": self.mountpoint, "fstype": kind, "opts": options}


def mounts(context: AppContext) -> list[Mount]:
    """Return the mounts, sorted by path."""
    result = {}
    for place, (device, fstype, total, (low, high)) in _USUAL.items():
        used = int(level(context, f"disk.{place}", low, high) * total) // _BLOCK * _BLOCK
        result[place] = Mount(place, device, fstype, total, used, used // (5 * _BYTES_AN_INODE), read_only=False)
    for row in context.list("disk"):
        place = row["mountpoint"]
        if row.get("gone"):
            result.pop(place, None)
            continue
        before = result.get(place) or Mount(place, "/dev/vdc", "xfs", 50 * _GB, 0, 3, read_only=False)
        total = int(row.get("total") or before.total)
        result[place] = Mount(
            mountpoint=place,
            device=row.get("device") or before.device,
            fstype=row.get("fstype") or before.fstype,
            total=total,
            used=max(0, min(int(row.get("used", before.used)), total)),
            inodes_used=max(0, int(row.get("inodes_used", before.inodes_used))),
            read_only=bool(row.get("read_only", before.read_only)),
        )
    return [result[place] for place in sorted(result)]


def mount_of(context: AppContext, path: str) -> Mount | None:
    """Return the file system of a path, or None if the path does not exist. Relative paths start at the root."""
    place = path if path.startswith("/") else f"/{path.removeprefix('./')}"
    if not path or not _exists(context, place):
        return None
    above = [
        mount for mount in mounts(context) if f"{place.rstrip('/')}/".startswith(mount.mountpoint.rstrip("/") + "/")
    ]
    return max(above, key=lambda mount: len(mount.mountpoint), default=None)


def partitions(context: AppContext) -> list[dict[str, Any]]:
    """Return all mounts, including those of the kernel."""
    kernel = [{"device": d, "mountpoint": m, "fstype": f, "opts": list(o)} for d, m, f, o in _PSEUDO]
    return [*kernel, *(mount.partition() for mount in mounts(context))]


def counters(context: AppContext) -> dict[str, dict[str, Any]]:
    """Return the I/O counters of each device since boot: counts, bytes and milliseconds."""
    names = sorted({mount.device.rpartition("/")[2] for mount in mounts(context)})
    return {name: _counter(context, name) for name in names}


def _counter(context: AppContext, name: str) -> dict[str, Any]:
    reads, writes = counter(context, f"disk.{name}.reads", 1.4), counter(context, f"disk.{name}.writes", 6.2)
    return {
        "readCount": reads,
        "mergedReadCount": reads // 4,
        "writeCount": writes,
        "mergedWriteCount": writes * 2 // 3,
        "readBytes": reads * 24576,
        "writeBytes": writes * 12288,
        "readTime": reads // 3,
        "writeTime": writes,
        "iopsInProgress": 0,
        "ioTime": (reads + writes) // 2,
        "weightedIO": reads // 3 + writes,
        "name": name,
        "serialNumber": "",
        "label": "",
    }


def _exists(context: AppContext, place: str) -> bool:
    bare = place.rstrip("/") or "/"
    if bare in OF_THE_SYSTEM or any(bare == mount.mountpoint for mount in mounts(context)):
        return True
    if bare in ("/srv/workspace", "/.", "/home/agent"):
        return True
    try:
        return context.disk.stat(place) is not None
    except DiskError:
        return False
