"""A signal ends a gateway that does not serve yet, even if the interrupted code turns the exception into another one."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from soundstage.gateway.serving.starting import Starting

ENDS = [(signal.SIGTERM, 0), (signal.SIGINT, 130)]


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    previous = {number: signal.getsignal(number) for number, _ in ENDS}
    yield
    for number, handler in previous.items():
        signal.signal(number, handler)


def _make_another_error_of(number: signal.Signals) -> None:
    try:
        signal.raise_signal(number)
    except SystemExit:
        raise RuntimeError("what a library in C makes of it") from None


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_a_signal_ends_the_running_code(number: signal.Signals, code: int) -> None:
    with pytest.raises(SystemExit) as ended, Starting():
        signal.raise_signal(number)
    assert ended.value.code == code


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_an_error_caused_by_the_signal_is_not_reported(number: signal.Signals, code: int) -> None:
    with pytest.raises(SystemExit) as ended, Starting():
        _make_another_error_of(number)
    assert ended.value.code == code
    assert ended.value.__suppress_context__


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_a_swallowed_signal_still_ends_the_gateway(number: signal.Signals, code: int) -> None:
    with Starting() as starting:
        starting.go_on()  # no signal yet
        with pytest.raises(SystemExit):
            signal.raise_signal(number)
    with pytest.raises(SystemExit) as ended:
        starting.go_on()
    assert ended.value.code == code


def test_other_errors_are_not_changed() -> None:
    with pytest.raises(RuntimeError, match="broken"), Starting():
        raise RuntimeError("broken")
