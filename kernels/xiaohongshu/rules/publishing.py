"""Publishing a note through the creator site's form: its checks in their order, and the new note."""

from __future__ import annotations

from datetime import timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import notes
from soundstage.kernels.xiaohongshu.rules.errors import RednoteError, failure, panic_error
from soundstage.kernels.xiaohongshu.rules.session import as_author, basic_info, signed_in

_TITLE_WEIGHT = 20
_BODY_LENGTH = 1000
_TAGS = 10
_VISIBILITIES = ("", notes.PUBLIC, "仅自己可见", "仅互关好友可见")
_BEIJING = timedelta(hours=8)
_UNCONFIRMED = "发布未确认成功：点击发布后未跳转离开发布页（可能校验未过或被拦截）"


def check_title(title: str) -> None:
    """Reject a title with a weight above 20.

    A UTF-16 unit above 127 weighs 1, any other half; the sum is rounded up.

    Raises:
        RednoteError: The title is too long.
    """
    halves = sum(4 if char > "\uffff" else 2 if char > "\x7f" else 1 for char in title)
    if (halves + 1) // 2 > _TITLE_WEIGHT:
        raise failure("发布", "标题长度超过限制", "limit")


def open_form(context: AppContext, tool: str) -> Object:
    """Open the creator site's form and return the signed-in session.

    Raises:
        RednoteError: The session is signed out; the server waits for the form in vain and panics.
    """
    session = signed_in(context)
    if session is None:
        raise panic_error(tool, "context deadline exceeded", "unauthorized")
    return session


def tags_of(arguments: Arguments) -> list[str]:
    """Return the tags that are typed: the first ten, without their leading #; the others are silently dropped."""
    return [tag.lstrip("#") for tag in (arguments.get("tags") or [])[:_TAGS]]


def body_length(content: str, tags: list[str]) -> int:
    """Return the form's counter for a body with its tags.

    It counts UTF-16 units, without the line breaks before the tags.
    """
    typed = content + "".join(f"#{tag} " for tag in tags)
    return sum(2 if char > "\uffff" else 1 for char in typed)


def check_body(content: str, tags: list[str]) -> None:
    """Reject a body that the form marks as too long.

    Raises:
        RednoteError: The body is too long, with both numbers of the form's counter.
    """
    length = body_length(content, tags)
    if length > _BODY_LENGTH:
        raise _refused(f"当前输入长度为{length}，最大长度为{_BODY_LENGTH}", "limit")


def check_visibility(arguments: Arguments) -> str:
    """Return the visibility of the note; the default is public.

    Raises:
        RednoteError: The form does not offer the value.
    """
    visibility: str = arguments.get("visibility", "")
    if visibility not in _VISIBILITIES:
        supported = "、".join(_VISIBILITIES[1:])
        raise _refused(f"设置可见范围失败: 不支持的可见范围: {visibility}，支持: {supported}")
    return visibility or notes.PUBLIC


def attach_products(context: AppContext, arguments: Arguments) -> list[Object]:
    """Return the goods to attach: for each keyword the first with this id or with the keyword in its name.

    Raises:
        RednoteError: The account has not opened the shop feature, or a keyword matches nothing.
    """
    keywords = arguments.get("products") or []
    if not keywords:
        return []
    offered = context.list("product") if context.account is None else []  # the shop belongs to the default account
    if not offered:
        raise _refused("绑定商品失败: 点击添加商品按钮失败: 未找到添加商品按钮，账号可能未开通商品功能", "permission")
    matches = [next((p for p in offered if k == p["id"] or k in p.get("name", "")), None) for k in keywords]
    if missing := [k for k, product in zip(keywords, matches, strict=True) if product is None]:
        raise _refused(f"绑定商品失败: 部分商品未找到: [{' '.join(missing)}]", "not_found")
    return [product for product in matches if product is not None]


def submit(
    context: AppContext,
    session: Object,
    arguments: Arguments,
    *,
    scheduled: int | None,
    uploads: list[str],
    video: bool,
) -> None:
    """Perform the form's last checks, click 发布, and publish or schedule the note.

    Raises:
        RednoteError: See the checks above; the click also has no effect for a restricted account.
    """
    visibility, products = check_visibility(arguments), attach_products(context, arguments)
    content, tags = arguments["content"], tags_of(arguments)
    # The server checks the body's length only for picture notes; for a video the form simply does not submit.
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
    return failure("发布", f"小红书发布失败: {reason}", kind)


def _picture(context: AppContext, height: int) -> Object:
    """Return a picture on Rednote's servers, whose addresses begin with the Beijing time of the request."""
    folder = f"{context.now() + _BEIJING:%Y%m%d%H%M}/{context.new_id('picture', '{hex:24}')}"
    address = f"http://sns-webpic-qc.xhscdn.com/{folder}/{context.new_id('picture_name', '1040g008{hex:12}')}"
    default, preview = f"{address}!nd_dft_wlteh_webp_3", f"{address}!nd_prv_wlteh_webp_3"
    return {"width": 1080, "height": height, "urlDefault": default, "urlPre": preview}
