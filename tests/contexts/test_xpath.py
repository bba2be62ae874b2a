"""XPath expressions of callers: cheap ones are evaluated here, all others in a process with a time limit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from soundstage.contexts.engine import budget
from soundstage.contexts.engine.budget import BudgetExceeded
from soundstage.contexts.engine.xpath import InvalidXPath, Tree, evaluate_xpath, is_cheap

CUBIC = "//*[count(//*[count(//*) > 1]) > 1]"


@pytest.fixture(autouse=True)
def running() -> Iterator[None]:
    """The budget of a run of a kernel."""
    budget.start(0.5)
    yield
    budget.stop()


def page(rows: int) -> Tree:
    """A page of rows, each with a link."""
    return [
        "html", [], 0,
        [["div", [["class", "row"]], 2 * i + 1, ["- ", ["a", [["href", "/x"]], 2 * i + 2, [f"link {i}"]]]] for i in range(rows)],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "source", ["//a", "(//a)[2]", "//div[@class='row']/a", "//a[text()='link 1 // [']", "..", "//*[1]"]
)
def test_a_simple_expression_is_cheap(source: str) -> None:
    assert is_cheap(source)


@pytest.mark.parametrize(
    "source",
    [
        CUBIC,
        "//div[.//a]",
        "//a[/html]",
        "//a[preceding::a]",
        "//a[../a]",
        "//a|" * 300 + "//a",
        "//a[" * 20,
        "//a" * 400,
    ],
)
def test_an_expression_that_can_take_long_is_not_cheap(source: str) -> None:
    assert not is_cheap(source)


@pytest.mark.parametrize(
    ("source", "numbers"),
    [
        ("//a", [2, 4, 6]),
        ("//div[.//a[text()='link 1']]", [3]),
        ("count(//a)", []),
        ("//a[../a]/@href", []),
        ("//b[.//c]", []),
    ],
)
def test_elements_are_selected(source: str, numbers: list[int]) -> None:
    assert evaluate_xpath(source, page(3)) == numbers


@pytest.mark.parametrize("source", ["", "//a[", "//a[.//b", "\x00", "//a[.//b]\x00", "//a[//a]" + "(" * 20_000])
def test_an_invalid_expression_is_reported(source: str) -> None:
    with pytest.raises(InvalidXPath):
        evaluate_xpath(source, page(3))


def test_an_expression_that_takes_long_exceeds_the_budget_and_the_next_one_is_answered() -> None:
    with pytest.raises(BudgetExceeded):
        evaluate_xpath(CUBIC, page(1500))
    budget.start(0.5)
    assert evaluate_xpath("//div[.//a]", page(2)) == [1, 3]
