"""Error messages of pydantic: tools built from a schema alone are compared with the functions that the schema came from.

The functions use the same code as real servers: `func_metadata` of the MCP SDK, and the package fastmcp.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import fastmcp.tools
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.server.mcpserver.utilities.func_metadata import func_metadata
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments
from soundstage.servers.wording.pydantic import check_call, check_model

VERSION = pydantic.version.version_short()
Outcome = tuple[str, Any]


class Deep(BaseModel):
    x: int
    tags: list[str] = []


def book(title: str, seats: int = 3, live: bool = False) -> None: ...
def send(chat: int | str, text: str, mode: str | None = None, wait: float = 0.5) -> None: ...
def store(rows: list[Deep], counts: dict[str, int], json: dict[str, Any] | None = None) -> None: ...
def sort(by: Literal["new", "top"], deep: Deep, kinds: list[int | str] | None = None, extra: Any = None) -> None: ...
def page(
    size: Annotated[int, Field(ge=1, le=10)], code: Annotated[str, Field(min_length=2, pattern="^[a-z]+$")] = "ab"
) -> None: ...


FUNCTIONS = {function.__name__: function for function in (book, send, store, sort, page)}
TEXTS = ["", "a", "abc", "new", "5", "2.5", "yes", "null", "true", "[1,2]", '["a"]', '{"x":1}', "a \U0001f3ac" * 30]
SCALARS = [0, 1, 5, 11, -1, 2.5, 3.0, 2**70, True, False, None]
LISTS = [[], ["a"], [1, "b"], [{"x": 1}], [{"x": "2", "tags": ["t"]}, {}]]
OBJECTS = [{}, {"x": 1}, {"x": "z"}, {"k": 1, "l": "2"}]
VALUES = st.sampled_from([*TEXTS, *SCALARS, *LISTS, *OBJECTS])


def plain(value: Any) -> Any:
    """Return a parsed value as JSON again."""
    if isinstance(value, BaseModel):
        return {name: plain(inner) for name, inner in value}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def outcome(check: Callable[[], dict[str, Any]]) -> Outcome:
    try:
        return "handed on", json.dumps({name: plain(value) for name, value in check().items()})
    except ValidationError as error:
        return "refused", str(error)
    except InvalidArguments as error:
        return "refused", error.message


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(sorted(FUNCTIONS)))
    names = [*FUNCTIONS[name].__annotations__][:-1]
    chosen = draw(st.lists(st.sampled_from([*names, *names, "unknown"]), unique=True))
    return name, {argument: draw(VALUES) for argument in chosen}


@settings(max_examples=300, deadline=None)
@given(calls())
def test_a_function_of_the_mcp_sdk_has_the_sdks_messages_and_defaults(call: tuple[str, dict[str, Any]]) -> None:
    name, arguments = call
    real = func_metadata(FUNCTIONS[name])
    tool = Tool("x", name, "d", real.arg_model.model_json_schema(), "read")
    assert outcome(lambda: check_model(tool, arguments, VERSION)) == outcome(lambda: real.validate_arguments(arguments))


@settings(max_examples=300, deadline=None)
@given(calls())
def test_a_function_of_fastmcp_has_its_messages_and_defaults(call: tuple[str, dict[str, Any]]) -> None:
    name, arguments = call
    function = FUNCTIONS[name]
    tool = Tool("x", name, "d", fastmcp.tools.Tool.from_function(function).parameters, "read")
    (kind, message), (real_kind, real_message) = (
        outcome(lambda: check_call(tool, arguments, VERSION)),
        outcome(lambda: {"done": TypeAdapter(function).validate_python(arguments)}),
    )
    assert kind == real_kind
    if kind == "refused":
        assert message == real_message
        return
    assert (
        message
        == outcome(lambda: func_metadata(function).arg_model.model_validate(arguments).model_dump_one_level())[1]
    )


BOOK = Tool("x", "BOOK", "d", func_metadata(book).arg_model.model_json_schema(), "read")


def test_links_contain_the_apps_version_of_pydantic_and_nothing_else_changes() -> None:
    with pytest.raises(InvalidArguments) as refused:
        check_model(BOOK, {"seats": "https://errors.pydantic.dev/9/v/"}, "2.11")
    assert refused.value.message == (
        "2 validation errors for bookArguments\n"
        "title\n"
        "  Field required [type=missing, input_value={'seats': 'https://errors.pydantic.dev/9/v/'}, input_type=dict]\n"
        "    For further information visit https://errors.pydantic.dev/2.11/v/missing\n"
        "seats\n"
        "  Input should be a valid integer, unable to parse string as an integer"
        " [type=int_parsing, input_value='https://errors.pydantic.dev/9/v/', input_type=str]\n"
        "    For further information visit https://errors.pydantic.dev/2.11/v/int_parsing"
    )


def test_a_message_has_the_functions_name_which_may_differ_from_the_tools() -> None:
    with pytest.raises(InvalidArguments, match=r"^1 validation error for call\[reserve\]\ntitle\n  Missing required"):
        check_call(BOOK, {}, "2.14", function="reserve")


def test_json_in_text_is_read_only_by_old_sdks() -> None:
    assert check_model(BOOK, {"title": "[1]"}, "2.11") == {"title": "[1]", "seats": 3, "live": False}
    with pytest.raises(
        InvalidArguments, match=r"valid string \[type=string_type, input_value=\[1\], input_type=list\]"
    ):
        check_model(BOOK, {"title": "[1]"}, "2.11", reads_all_text=True)


def test_an_optional_argument_without_a_default_stays_absent() -> None:
    tool = Tool("x", "note", "d", {"type": "object", "properties": {"text": {"type": "string"}}}, "read")
    assert check_model(tool, {}, "2.14") == {}
    assert check_call(tool, None, "2.14") == {}
