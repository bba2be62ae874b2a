"""The kinds of fault by the name that schedules use."""

from __future__ import annotations

from gateway.faults.fault import Fault
from gateway.faults.kinds.auth_expired import AuthExpired
from gateway.faults.kinds.connection_drop import ConnectionDrop
from gateway.faults.kinds.corrupt import Corrupt
from gateway.faults.kinds.drift import Drift
from gateway.faults.kinds.duplicate_delivery import DuplicateDelivery
from gateway.faults.kinds.latency import Latency
from gateway.faults.kinds.lost_ack import LostAck
from gateway.faults.kinds.new_constraint import NewConstraint
from gateway.faults.kinds.partial_page import PartialPage
from gateway.faults.kinds.rate_limit import RateLimit
from gateway.faults.kinds.reorder import Reorder
from gateway.faults.kinds.server_error import ServerError
from gateway.faults.kinds.stale_read import StaleRead
from gateway.faults.kinds.timeout import Timeout
from gateway.faults.kinds.tool_renamed import ToolRenamed
from gateway.faults.kinds.tool_vanished import ToolVanished
from gateway.faults.kinds.truncate import Truncate
from gateway.faults.kinds.unavailable import Unavailable

KINDS: dict[str, type[Fault]] = {
    "timeout": Timeout,
    "rate_limit": RateLimit,
    "unavailable": Unavailable,
    "server_error": ServerError,
    "auth_expired": AuthExpired,
    "tool_vanished": ToolVanished,
    "tool_renamed": ToolRenamed,
    "latency": Latency,
    "connection_drop": ConnectionDrop,
    "truncate": Truncate,
    "stale_read": StaleRead,
    "corrupt": Corrupt,
    "reorder": Reorder,
    "drift": Drift,
    "lost_ack": LostAck,
    "duplicate_delivery": DuplicateDelivery,
    "partial_page": PartialPage,
    "new_constraint": NewConstraint,
}
