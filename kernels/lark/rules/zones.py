"""Lark's default time zone."""

from __future__ import annotations

DEFAULT_ZONE = "Asia/Shanghai"
