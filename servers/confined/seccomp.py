"""A filter of system calls for workers. It allows pure computation and one pipe.

A call that is not listed fails with EPERM. Memory can never be made executable. The program is classic BPF, as
`prctl(PR_SET_SECCOMP)` takes it; see https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html.
"""

from __future__ import annotations

import ctypes
import platform
import struct

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_LOAD, _AND, _EQUALS, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _EPERM = 0x7FFF0000, 0x00050001
_NUMBER, _ARCHITECTURE, _PROTECTION = 0, 4, 16 + 2 * 8  # offsets in struct seccomp_data; the third argument
_PROT_EXEC = 4
_X32 = 0x40000000

_NAMES = (
    "read", "write", "close", "lseek", "munmap", "brk", "mremap", "madvise", "rt_sigreturn", "sigaltstack", "sched_yield",
    "futex", "getpid", "gettid", "gettimeofday", "clock_gettime", "getrandom", "restart_syscall", "exit", "exit_group",
)  # fmt: skip
_NUMBERS = {
    "x86_64": (
        0xC000003E,
        [0, 1, 3, 8, 11, 12, 25, 28, 15, 131, 24, 202, 39, 186, 96, 228, 318, 219, 60, 231],
        {"mmap": 9, "mprotect": 10},
    ),
    "aarch64": (
        0xC00000B7,
        [63, 64, 57, 62, 215, 214, 216, 233, 139, 132, 124, 98, 172, 178, 169, 113, 278, 128, 93, 94],
        {"mmap": 222, "mprotect": 226},
    ),
}
"""Machine → its AUDIT_ARCH number, the numbers of `_NAMES`, and those of the calls that set the protection of memory."""


class Filter:
    """A filter that is ready to be installed, made before memory is limited."""

    def __init__(self) -> None:
        program = _program(platform.machine())
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._code = ctypes.create_string_buffer(b"".join(program), 8 * len(program))
        self._header = ctypes.create_string_buffer(
            struct.pack("HL", len(program), ctypes.addressof(self._code)), struct.calcsize("HL")
        )

    def install(self) -> bool:
        """Install it for this process; False where the system has no such filters. It needs `no_new_privs`."""
        return bool(self._libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(self._header), 0, 0) == 0)


def make_filter() -> Filter | None:
    """Make the filter; None for a machine whose system calls are not listed here."""
    return Filter() if platform.machine() in _NUMBERS and platform.system() == "Linux" else None


def _program(machine: str) -> list[bytes]:
    architecture, plain, protecting = _NUMBERS[machine]
    assert len(plain) == len(_NAMES)
    program = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUALS, architecture, then=1),
        _step(_RETURN, _EPERM),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, _X32, otherwise=1),
        _step(_RETURN, _EPERM),
    ]
    for number in plain:
        program += [_step(_EQUALS, number, otherwise=1), _step(_RETURN, _ALLOW)]
    for number in protecting.values():
        program += [
            _step(_EQUALS, number, otherwise=5),
            _step(_LOAD, _PROTECTION),
            _step(_AND, _PROT_EXEC),
            _step(_EQUALS, 0, otherwise=1),
            _step(_RETURN, _ALLOW),
            _step(_RETURN, _EPERM),
        ]
    return [*program, _step(_RETURN, _EPERM)]


def _step(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("HBBI", code, then, otherwise, value)
