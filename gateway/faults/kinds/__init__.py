"""The kinds of fault by the name that schedules use."""

from __future__ import annotations

from soundstage.gateway.faults.fault import Fault
from soundstage.gateway.faults.kinds.auth_expired import AuthExpired
from soundstage.gateway.faults.kinds.connection_drop import ConnectionDrop
from soundstage.gateway.faults.kinds.corrupt import Corrupt
from soundstage.gateway.faults.kinds.drift import Drift
from soundstage.gateway.faults.kinds.duplicate_delivery import DuplicateDelivery
from soundstage.gateway.faults.kinds.latency import Latency
from soundstage.gateway.faults.kinds.lost_ack import LostAck
from soundstage.gateway.faults.kinds.new_constraint import NewConstraint
from soundstage.gateway.faults.kinds.partial_page import PartialPage
from soundstage.gateway.faults.kinds.rate_limit import RateLimit
from soundstage.gateway.faults.kinds.reorder import Reorder
from soundstage.gateway.faults.kinds.server_error import ServerError
from soundstage.gateway.faults.kinds.stale_read import StaleRead
from soundstage.gateway.faults.kinds.timeout import Timeout
from soundstage.gateway.faults.kinds.tool_renamed import ToolRenamed
from soundstage.gateway.faults.kinds.tool_vanished import ToolVanished
from soundstage.gateway.faults.kinds.truncate import Truncate
from soundstage.gateway.faults.kinds.unavailable import Unavailable

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
