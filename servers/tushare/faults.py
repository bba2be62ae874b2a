"""Failures of Tushare's data interface.

Two tools never query it: their faults use the words of failures of setting up a token. An error status yields an empty table
instead of an error: nothing found, or a missing column.
"""

from __future__ import annotations

from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.tushare.rules.errors import TushareError
from soundstage.servers.faults import Hit, worded
from soundstage.servers.reply import Answer

_CLIENT = "tushare 1.4.29, pro/client.py"
_EMPTY = {"get_income_statement": "未找到符合条件的利润表数据", "search_stocks": "搜索失败：'ts_code'"}
_DOING = {
    "setup_tushare_token": "Token配置失败",
    "check_token_status": "Token无效或已过期",
    "search_stocks": "搜索失败",
}
SOURCES = {
    "rate_limit": f"{_CLIENT} passes the message of code 40203 on; its words are those of Tushare's document 108",
    "unavailable": f"{_CLIENT}: an unsuccessful answer is an empty table",
    "server_error": f"{_CLIENT}: an unsuccessful answer is an empty table",
    "auth_expired": "recorded: the refusal of a token, as Tushare words it",
    "timeout": f"{_CLIENT}: requests with a limit of 30 seconds, whose error the tool prints",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    more = "权限的具体详情访问：https://tushare.pro/document/1?doc_id=108。"
    return _failed(hit, f"抱歉，您每分钟最多访问该接口200次，{more}", "rate_limited")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _empty(hit, "unavailable")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _empty(hit, "internal")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _failed(hit, "您的token不对，请确认。", "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    pool = "HTTPConnectionPool(host='api.waditu.com', port=80)"
    return _failed(hit, f"{pool}: Read timed out. (read timeout=30)", "unavailable")


def _failed(hit: Hit, words: str, kind: ErrorKind) -> Answer:
    return worded(hit, TushareError(kind, f"{_DOING.get(hit.tool.name, '查询失败')}：{words}"))


def _empty(hit: Hit, kind: ErrorKind) -> Answer:
    if hit.tool.name in ("setup_tushare_token", "check_token_status"):
        return _failed(hit, "api init error.", kind)
    return worded(hit, TushareError(kind, _EMPTY.get(hit.tool.name, "未找到符合条件的股票")))
