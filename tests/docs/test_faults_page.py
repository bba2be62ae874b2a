"""docs/faults.md agrees with the behaviour of the faults."""

from __future__ import annotations

from tests.docs.faults_page import PAGE, page


def test_the_page_shows_what_each_fault_does() -> None:
    written = PAGE.read_text("utf-8")
    assert written == page(written), "run: python -m tests.docs.faults_page"
