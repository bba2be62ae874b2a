"""Publishing a note through the creator site's form: its checks in their order, and the note that comes of it."""

from __future__ import annotations

from datetime import timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import notes
from soundstage.kernels.xiaohongshu.rules.errors import RednoteError, failed, panicked
from soundstage.kernels.xiaohongshu.rules.session import as_author, basic_info, signed_in

_TITLE_WEIGHT = 20
_BODY_LENGTH = 1000
_TAGS = 10
_VISIBILITIES = ("", notes.PUBLIC, "仅自己可见", "仅互关好友可见")
_BEIJING = timedelta(hours=8)
_UNCONFIRMED = "发布未确认成功：点击发布后未跳转离开发布页（可能校验未过或被拦截）"


def check_title(title: str) -> None:
    """Refuse a title above the weight of 20: a UTF-16 unit above 127 weighs 1, any other half, rounded up in the end.

    Raises:
        RednoteError: it is too long.
    """
    halves = sum(4 if char > "\uffff" else 2 if char > "\x7f" else 1 for char in title)
    if (halves + 1) // 2 > _TITLE_WEIGHT:
        raise failed("发布", "标题长度超过限制", "limit")


def open_form(context: AppContext, tool: str) -> Object:
    """The signed-in session, once the creator site has shown its form.

    Raises:
        RednoteError: nobody is signed in; the server waits for the form in vain, and panics.
    """
    session = signed_in(context)
    if session is None:
        raise panicked(tool, "context deadline exceeded", "unauthorized")
    return session


def tags_of(arguments: Arguments) -> list[str]:
    """The tags that are typed: the first ten, without their leading #. The others go without notice."""
    return [tag.lstrip("#") for tag in (arguments.get("tags") or [])[:_TAGS]]


def body_length(content: str, tags: list[str]) -> int:
    """What the form's counter says of a body with its tags; it counts UTF-16 units and no line breaks before tags."""
    typed = content + "".join(f"#{tag} " for tag in tags)
    return sum(2 if char > "\uffff" else 1 for char in typed)


def check_body(content: str, tags: list[str]) -> None:
    """Refuse a body that the form marks as too long.

    Raises:
        RednoteError: with both figures of the form's counter.
    """
    length = body_length(content, tags)
    if length > _BODY_LENGTH:
        raise _refused(f"当前输入长度为{length}，最大长度为{_BODY_LENGTH}", "limit")


def check_visibility(arguments: Arguments) -> str:
    """Who may see the note; not given or empty means everybody.

    Raises:
        RednoteError: not one of the three that the form has.
    """
    visibility: str = arguments.get("visibility", "")
    if visibility not in _VISIBILITIES:
        supported = "、".join(_VISIBILITIES[1:])
        raise _refused(f"设置可见范围失败: 不支持的可见范围: {visibility}，支持: {supported}")
    return visibility or notes.PUBLIC


def attach_products(context: AppContext, arguments: Arguments) -> list[Object]:
    """The goods to attach: for each keyword the first whose id it is or whose name has it.

    Raises:
        RednoteError: the account has not opened the shop feature, or keywords found nothing.
    """
    keywords = arguments.get("products") or []
    if not keywords:
        return []
    offered = context.list("product") if context.account is None else []  # the state speaks of its own account's shop
    if not offered:
        raise _refused("绑定商品失败: 点击添加商品按钮失败: 未找到添加商品按钮，账号可能未开通商品功能", "permission")
    found = [next((p for p in offered if k == p["id"] or k in p.get("name", "")), None) for k in keywords]
    if missing := [k for k, product in zip(keywords, found, strict=True) if product is None]:
        raise _refused(f"绑定商品失败: 部分商品未找到: [{' '.join(missing)}]", "not_found")
    return [product for product in found if product is not None]


def submit(
    context: AppContext,
    session: Object,
    arguments: Arguments,
    *,
    scheduled: int | None,
    uploads: list[str],
    video: bool,
) -> None:
    """Check what the form checks last, click 发布, and put the note online (or on schedule).

    Raises:
        RednoteError: see the checks above; and the click has no effect for a restricted account.
    """
    visibility, products = check_visibility(arguments), attach_products(context, arguments)
    content, tags = arguments["content"], tags_of(arguments)
    # The server itself looks at the body's length for picture notes only; for a video the form just does not submit.
    if session.get("restricted") or body_length(content, tags) > _BODY_LENGTH:
        raise _refused(_UNCONFIRMED, "permission" if session.get("restricted") else "limit")
    topics = "".join(f"#{tag}[话题]# " for tag in tags)
    zero = {"liked": False, "likedCount": "0", "sharedCount": "0", "commentCount": "0", "collectedCount": "0"}
    note: Object = {
        "noteId": notes.new_id(context, "note"),
        "xsecToken": context.new_id("xsecToken", "AB{base64url:43}="),
        "title": arguments["title"],
        "desc": f"{content}\n\n{topics}" if topics else content,
        "type": "video" if video else "normal",
        "time": to_ms(context.now()) if scheduled is None else scheduled,
        "ipLocation": basic_info(context, session).get("ipLocation", ""),
        "user": as_author(context, session),
        "interactInfo": {**zero, "collected": False},
        "imageList": [_picture(context, 1920 if video else 1440) for _ in uploads],
        "tagList": [{"name": tag, "type": "topic"} for tag in tags],
        "visibility": visibility,
        "isOriginal": arguments.get("is_original", False),
        "products": products,
        "uploads": uploads,
    }
    if scheduled is not None:
        note["scheduledTime"] = scheduled
    context.create("note", note)


def _refused(reason: str, kind: ErrorKind = "invalid") -> RednoteError:
    return failed("发布", f"小红书发布失败: {reason}", kind)


def _picture(context: AppContext, height: int) -> Object:
    """A picture on Rednote's servers, whose addresses begin with the Beijing time of the request."""
    folder = f"{context.now() + _BEIJING:%Y%m%d%H%M}/{context.new_id('picture', '{hex:24}')}"
    address = f"http://sns-webpic-qc.xhscdn.com/{folder}/{context.new_id('picture_name', '1040g008{hex:12}')}"
    default, preview = f"{address}!nd_dft_wlteh_webp_3", f"{address}!nd_prv_wlteh_webp_3"
    return {"width": 1080, "height": height, "urlDefault": default, "urlPre": preview}
