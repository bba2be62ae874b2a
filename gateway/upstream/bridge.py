"""Translate 2026-07-28 requests for an upstream that supports only earlier revisions.

A client that sends `server/discover` learns the supported revisions and falls back to the handshake, where everything passes
through. The requests of a client that is fixed to 2026-07-28 are translated, without progress and without requests of the
server, for which the older revision has no equivalent over this path.
"""

from __future__ import annotations

from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS, InboundLadderRejection, classify_inbound_request
from mcp_types import METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION

from soundstage.gateway.upstream.exchange import Incoming, Reply
from soundstage.gateway.upstream.messages import LEGACY_VERSION, MODERN_VERSION, checked_answer, error_message
from soundstage.gateway.upstream.upstream import Channel, Upstream

_LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read")
_TRANSLATED = (*_LISTS, "tools/call", "prompts/get", "completion/complete")
_NOT_CACHED = {"ttlMs": 0, "cacheScope": "private"}


def is_needed(incoming: Incoming, upstream: Upstream) -> bool:
    """Whether a client of the modern revision reaches an upstream of the legacy one."""
    return incoming.modern and incoming.method == "POST" and upstream.modern is False


async def translate(incoming: Incoming, reply: Reply, upstream: Upstream, channel: Channel) -> None:
    """Answer a request of 2026-07-28.

    Raises:
        UpstreamFailure: see `Channel.request`.
    """
    message, method = incoming.message, incoming.message.get("method")
    if not incoming.is_request:
        await reply.whole(202)
        return
    verdict = classify_inbound_request(message, headers=dict(incoming.headers))
    if isinstance(verdict, InboundLadderRejection):
        refusal = error_message(message["id"], verdict.message, verdict.code, verdict.data)
        await reply.message(refusal, ERROR_CODE_HTTP_STATUS.get(verdict.code, 400))
    elif method == "server/discover":
        data = {"supported": [LEGACY_VERSION], "requested": MODERN_VERSION}
        text = f"the upstream {upstream.name!r} speaks revisions before {MODERN_VERSION}"
        await reply.message(error_message(message["id"], text, UNSUPPORTED_PROTOCOL_VERSION, data), 400)
    elif method not in _TRANSLATED:
        await reply.message(error_message(message["id"], f"Method not found: {method}", METHOD_NOT_FOUND), 404)
    else:
        answer = checked_answer(upstream.name, await channel.request(method, incoming.params))
        if incoming.call is not None:
            incoming.call.answered(answer)
        status = 200
        if "result" in answer:
            cached = _NOT_CACHED if method in _LISTS else {}
            answer["result"] = {"resultType": "complete", **cached, **answer["result"]}
        else:
            status = ERROR_CODE_HTTP_STATUS.get(answer["error"]["code"], 200)
        await reply.message({**answer, "id": message["id"]}, status)
