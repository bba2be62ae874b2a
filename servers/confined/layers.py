"""The layers of confinement, which take away from the process: other processes, the network, files, rights, memory.

`confine_process` runs once, before any code of an app is there. `confine_worker` runs in each fork. Layers that a
system does not offer are not reported; no app is served without the `REQUIRED` ones.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import struct
import sys
from typing import Any, NamedTuple

from soundstage.servers.confined.seccomp import Filter

REQUIRED = frozenset({"namespaces", "empty root"})
LAYERS = {
    "namespaces": "no network, and separate mounts",
    "processes": "no other process of the machine can be seen or signalled, and no memory is shared with one",
    "empty root": "an empty folder that has been removed in place of the machine's files",
    "nobody": "the rights of nobody, given up permanently",
    "no new rights": "no program could give rights back",
    "limits": "no new processes or files; bounds for memory and CPU time of each call",
    "system calls": "a filter that allows computing and one pipe",
    "audit": "what Python itself would open, start or import is refused",
}
"""The layers in the order in which they are put on, each with its effect."""

_NOBODY = 65534
_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = (
    0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 4, 38
_CAPABILITIES_3 = 0x20080522
_DENIED = (
    "open", "os.", "socket.", "subprocess.", "ctypes.", "shutil.", "tempfile.", "glob.", "pty.", "fcntl.", "mmap.", "resource.",
    "sqlite3.", "gc.", "sys.settrace", "sys.setprofile", "sys.addaudithook", "sys._current_frames", "signal.", "syslog.",
    "webbrowser.", "urllib.", "http.", "ftplib.", "smtplib.", "telnetlib.", "code.__new__", "marshal.", "pickle.", "winreg.",
    "builtins.input", "cpython.", "faulthandler.",
)  # fmt: skip
_OF_APPS = "soundstage.kernels."


class Limits(NamedTuple):
    """The limits of one worker: bytes of address space, seconds of CPU."""

    address_space: int
    cpu_s: float


def confine_process(empty: str) -> list[str]:
    """Confine this process and return the layers that it got. `empty` is an empty folder, which the caller removes afterwards.

    If processes get a new namespace this forks: the original process waits for the new one and does not return.
    """
    os.chdir(empty)
    libc = ctypes.CDLL(None, use_errno=True)
    layers = _unshare(libc)
    with contextlib.suppress(OSError):
        os.chroot(".")
        os.chdir("/")
        layers.append("empty root")
    if os.geteuid() == 0:
        _become_nobody()
    if os.geteuid() == _NOBODY:
        layers.append("nobody")
    _drop_capabilities(libc)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        layers.append("no new rights")
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(limit, (0, 0))
    return layers


def confine_worker(limits: Limits, calls: Filter | None) -> None:
    """Confine this fork permanently: limits, then the filter of system calls, then Python's own audit."""
    for number in (signal.SIGPROF, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    whole = int(limits.cpu_s) + 1
    for limit, most in (
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 0),
        (resource.RLIMIT_AS, limits.address_space),
        (resource.RLIMIT_CPU, whole),
    ):
        resource.setrlimit(limit, (most, most))
    signal.setitimer(signal.ITIMER_PROF, limits.cpu_s)  # its signal ends the process
    if calls is not None:
        calls.install()
    sys.addaudithook(_audit)


def address_space() -> int:
    """Bytes of address space that this process has; a generous guess where the system does not report it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 2**30


def _unshare(libc: ctypes.CDLL) -> list[str]:
    """Leave the machine's namespaces: as root, otherwise in a namespace of users."""
    if not hasattr(libc, "unshare"):
        return []
    few, many = _NEWNET | _NEWNS, _NEWNET | _NEWNS | _NEWPID | _NEWIPC | _NEWUTS
    wanted = [many, few]
    if os.geteuid() == 0:
        for spaces in wanted:
            if libc.unshare(spaces) == 0:
                return _left(spaces)
        _become_nobody()
    for spaces in wanted:
        if libc.unshare(spaces | _NEWUSER) == 0:
            return _left(spaces)
    return []


def _left(spaces: int) -> list[str]:
    if not spaces & _NEWPID:
        return ["namespaces"]
    if (child := os.fork()) != 0:  # the first process of the namespace: with it, all of them end
        os.closerange(3, 256)
        _, status = os.waitpid(child, 0)
        os._exit(0 if os.WIFEXITED(status) else 1)
    return ["namespaces", "processes"]


def _become_nobody() -> None:
    with contextlib.suppress(OSError):
        os.setgroups([])
    with contextlib.suppress(OSError):
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Give up the capabilities that a namespace of users brings."""
    if hasattr(libc, "capset"):
        libc.capset(struct.pack("Ii", _CAPABILITIES_3, 0), bytes(24))


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "import":
        if not str(arguments[0]).startswith(_OF_APPS):
            raise ImportError(f"{arguments[0]} cannot be imported here")
    elif event.startswith(_DENIED):
        raise PermissionError(f"{event} is not available here")
