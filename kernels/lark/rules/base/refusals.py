"""The base's error codes; most have HTTP 200, so no isError, and some differ between tools.

Sources: the error lists of https://open.feishu.cn/document/server-docs/docs/bitable-v1/ and its pages per tool.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.lark.rules.errors import LarkError

_DENIED = "Permission denied."
_PHONE = "Failed to convert phone field, please make sure it is correct."
_DUPLEX = "The parameters of Duplex Link field are invalid and need to be filled with an array of string."

# code: (message, HTTP status, kind), unless _OWN has another message and status for the tool.
_SHARED: dict[int, tuple[str, int, ErrorKind]] = {
    1254001: ("WrongRequestBody", 200, "invalid"),
    1254002: ("Fail", 200, "invalid"),
    1254003: ("WrongBaseToken", 200, "invalid"),
    1254004: ("WrongTableId", 200, "invalid"),
    1254005: ("WrongViewId", 200, "invalid"),
    1254006: ("WrongRecordId", 200, "invalid"),
    1254011: ("Page size must greater than 0.", 400, "invalid"),
    1254012: ("NotSupportFieldOrView", 400, "invalid"),
    1254013: ("TableNameDuplicated", 200, "conflict"),
    1254014: ("FieldNameDuplicated", 400, "conflict"),
    1254015: ("Field types do not match.", 400, "invalid"),
    1254016: ("InvalidSort", 200, "invalid"),
    1254018: ("InvalidFilter", 200, "invalid"),
    1254021: ("EmptyViewName", 400, "invalid"),
    1254022: ("InvalidViewName", 400, "invalid"),
    1254024: ("InvalidFieldNames", 200, "invalid"),
    1254029: ("InvalidFieldName", 400, "invalid"),
    1254031: ("InvalidAppName", 400, "invalid"),
    1254037: ("Invalid client token, make sure that it complies with the specification.", 400, "invalid"),
    1254040: ("BaseTokenNotFound", 200, "not_found"),
    1254041: ("TableIdNotFound", 200, "not_found"),
    1254042: ("ViewIdNotFound", 200, "not_found"),
    1254043: ("RecordIdNotFound", 200, "not_found"),
    1254045: ("FieldNameNotFound", 200, "not_found"),
    1254060: ("TextFieldConvFail", 200, "invalid"),
    1254061: ("NumberFieldConvFail", 200, "invalid"),
    1254062: ("SingleSelectFieldConvFail", 200, "invalid"),
    1254063: ("MultiSelectFieldConvFail", 200, "invalid"),
    1254064: ("DatetimeFieldConvFail", 200, "invalid"),
    1254065: ("CheckboxFieldConvFail", 200, "invalid"),
    1254066: ("UserFieldConvFail", 200, "invalid"),
    1254067: ("LinkFieldConvFail", 200, "invalid"),
    1254068: ("URLFieldConvFail", 200, "invalid"),
    1254069: ("AttachFieldConvFail", 200, "invalid"),
    1254072: ("InvalidPhoneNumber", 200, "invalid"),
    1254074: ("DuplexLinkFieldConvFail", 400, "invalid"),
    1254100: ("TableExceedLimit", 200, "limit"),
    1254103: ("RecordExceedLimit", 200, "limit"),
    1254104: ("RecordAddOnceExceedLimit", 200, "limit"),
    1254106: ("AttachExceedLimit", 200, "limit"),
    1254107: ("FilterLengthExceedLimit", 200, "limit"),
    1254108: ("SortLengthExceedLimit", 200, "limit"),
    1254130: ("TooLargeCell", 200, "limit"),
    1254302: (_DENIED, 403, "permission"),
    1254304: (_DENIED, 403, "permission"),
    1254702: ("DriveNodeNotExist", 404, "not_found"),
    1254800: ("InvalidParameter", 400, "invalid"),
    1255006: ("Client token conflict, please generate a new client token and try again.", 400, "conflict"),
}
_OWN: dict[str, dict[int, tuple[str, int]]] = {
    "bitable_v1_appTable_list": {1254302: ("The role has no permissions.", 403)},
    "bitable_v1_appTableRecord_batchCreate": {1254072: (_PHONE, 200)},
    "bitable_v1_appTableRecord_create": {1254072: (_PHONE, 200), 1254074: (_DUPLEX, 400)},
    "bitable_v1_appTableRecord_search": {1254302: (_DENIED, 200)},
}


@dataclass(frozen=True, slots=True)
class BaseRefusals:
    """The wording of the base's errors in one tool: `raise refusal(1254041)`."""

    tool: str

    def __call__(self, code: int) -> LarkError:
        """Return the error with a code."""
        message, http, kind = _SHARED[code]
        message, http = _OWN.get(self.tool, {}).get(code, (message, http))
        return LarkError(code, message, http=http, kind=kind)
