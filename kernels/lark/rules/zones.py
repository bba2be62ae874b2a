"""The time zone that Lark takes where nobody names one."""

from __future__ import annotations

DEFAULT_ZONE = "Asia/Shanghai"
