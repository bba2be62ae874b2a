"""The listening socket: opened before anything else starts, and closed without breaking a connection."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys

_BACKLOG = 2048
_MOST_FILES = 2**20  # programs that upstreams start inherit the limit, and some iterate over all numbers below it

_SO_ATTACH_FILTER = 26  # <asm-generic/socket.h>
# A classic BPF program on the TCP header, as (code, jump if true, jump if false, operand): a first SYN is dropped.
_NO_SYN = (
    (0x30, 0, 0, 13),  # load the byte of the flags
    (0x54, 0, 0, 0x12),  # keep SYN and ACK
    (0x15, 0, 1, 0x02),  # SYN alone?
    (0x06, 0, 0, 0),  # drop
    (0x06, 0, 0, 0xFFFFFFFF),  # take the whole packet
)


class CannotListen(Exception):
    """The address is unavailable; the message explains the reason and a remedy."""


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 selects a free one.

    Raises:
        CannotListen: the address is in use or does not belong to this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if os.name == "posix":  # on Windows the option lets a second process use a port that is in use
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise CannotListen(
            f"cannot listen on {host} port {port} ({error.strerror}); choose another with --port or --host"
        ) from None
    return listener


def turn_away(listener: socket.socket) -> None:
    """Reject new connections while those that have begun can still be accepted.

    Closing a listening socket resets connections that are not accepted yet, whose client may already have sent a request. After
    this call a new client gets no response until the socket is closed, and then a refusal before it has sent anything. This
    works only on Linux; elsewhere the function does nothing.
    """
    if sys.platform != "linux":
        return
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in _NO_SYN))
    try:
        listener.setsockopt(
            socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HL", len(_NO_SYN), ctypes.addressof(program))
        )
    except OSError:  # a sandbox without socket filters
        return


def raise_file_limit() -> None:
    """Raise this process's file limit to the maximum: an open durable session needs three files, a client one."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # macOS reports "unlimited" and then accepts only its compiled maximum
        return
