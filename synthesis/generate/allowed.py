"""What generated code may use, by name: an allow-list. Nothing in it gives a module, a frame, a file or a clock."""

from __future__ import annotations

from collections.abc import Mapping


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


LANGUAGE: Mapping[str, frozenset[str]] = {
    module: frozenset(names.split())
    for module, names in {
        "__future__": "annotations",
        "base64": "b64decode b64encode urlsafe_b64decode urlsafe_b64encode",
        "bisect": "bisect_left bisect_right",
        "collections": "Counter OrderedDict defaultdict deque",
        "collections.abc": "Callable Collection Iterable Iterator Mapping Sequence",
        "dataclasses": "dataclass field replace",
        "datetime": "UTC date datetime time timedelta timezone",
        "functools": "cmp_to_key partial reduce",
        "hashlib": "blake2b md5 sha1 sha256",
        "html": "escape unescape",
        "itertools": "accumulate chain groupby islice pairwise zip_longest",
        "json": "dumps loads JSONDecodeError",
        "math": "ceil floor fmod inf isclose isfinite isinf isnan sqrt trunc",
        "operator": "itemgetter",
        "re": "ASCII DOTALL IGNORECASE MULTILINE compile escape findall finditer fullmatch match search split sub",
        "typing": "Any Final Literal NamedTuple NotRequired TypedDict cast",
        "unicodedata": "category normalize",
        "urllib.parse": "parse_qs quote unquote urlencode urljoin urlsplit",
    }.items()
}
"""Modules of the standard library → what may be imported from each."""

OURS: Mapping[str, frozenset[str]] = {
    "soundstage.contexts.engine.app_context": frozenset({"AppContext"}),
    "soundstage.contexts.engine.schema": frozenset({"ABSENT", "Object"}),
    "soundstage.kernels.errors": frozenset({"AppError"}),
    "soundstage.kernels.types": frozenset({"Arguments", "Reply"}),
}

CONTEXT = _names("account count create delete drawn first get keys list new_id next_number now random update wait ")
"""What of an `AppContext` is a kernel's business."""

BUILTINS = _names(
    "ArithmeticError Ellipsis Exception False IndexError KeyError LookupError None NotImplemented OverflowError StopIteration "
    "True TypeError UnicodeError ValueError ZeroDivisionError abs all any bool bytes chr dict divmod enumerate filter float "
    "frozenset int isinstance iter len list map max min next object ord range repr reversed round set slice sorted str sum tuple "
    "zip "
)

FORBIDDEN_ATTRIBUTES = _names(
    "ag_code ag_frame co_code co_consts cr_await cr_code cr_frame cr_origin disk f_back f_builtins f_code f_globals f_lineno "
    "f_locals f_trace library format format_map func_globals gi_code gi_frame gi_yieldfrom mro now obj own put "
    "read_from register source tb_frame tb_lasti tb_next to_bytes today utcnow with_traceback "
)
"""Beside all that begin with `_`: ways to frames, code, the wall clock, formats whose fields reach into objects, lengths without
a bound, registries of the whole process, and what of a context is no kernel's business.
"""
