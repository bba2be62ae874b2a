"""The allow-list of names for generated code; none of them gives access to a module, frame, file or clock."""

from __future__ import annotations

from soundstage.servers.confined.language import LANGUAGE, OURS

__all__ = ["BUILTINS", "CONTEXT", "FORBIDDEN_ATTRIBUTES", "LANGUAGE", "OURS"]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


CONTEXT = _names("account count create delete drawn first get keys list new_id next_number now random update wait ")
"""The members of an `AppContext` that kernels may use."""

BUILTINS = _names(
    "ArithmeticError Ellipsis Exception False IndexError KeyError LookupError None NotImplemented OverflowError StopIteration "
    "True TypeError UnicodeError ValueError ZeroDivisionError abs all any bool bytes chr dict divmod enumerate filter float "
    "frozenset int isinstance iter len list map max min next object ord range repr reversed round set slice sorted str sum tuple "
    "zip "
)

FORBIDDEN_ATTRIBUTES = _names(
    "ag_code ag_frame asked co_code co_consts cr_await cr_code cr_frame cr_origin disk evaluate f_back f_builtins f_code "
    "f_globals f_lineno f_locals f_trace format format_map func_globals gi_code gi_frame gi_yieldfrom library mro now obj own "
    "put read_from register runs source tb_frame tb_lasti tb_next to_bytes today type utcnow web with_traceback "
)
"""Forbidden attributes in addition to names that begin with `_`.

They lead to frames, code, the wall clock, format fields that access objects, unbounded lengths, process-wide registries, and
internals of a context.
"""
