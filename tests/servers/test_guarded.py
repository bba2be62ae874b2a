"""Generated kernels run against a clock: what does not come to its end is stopped, and after three times suspended."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, cast

import pytest

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.servers import guarded
from soundstage.servers.guarded import STRIKES, TooLong, Unguarded

NOTHING = cast(AppContext, None)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "SECONDS", 0.05)
    monkeypatch.setattr(guarded, "_AGAIN", 0.02)


def loops(context: AppContext, arguments: Any) -> Any:
    while True:
        pass


def swallows(context: AppContext, arguments: Any) -> Any:
    try:
        loops(context, arguments)
    except Exception:
        return "swallowed"
    finally:
        while True:
            pass


def backtracks(context: AppContext, arguments: Any) -> Any:
    return re.match("(a+)+$", "a" * 60 + "b")


@pytest.mark.parametrize("kernel", [loops, swallows, backtracks])
def test_a_kernel_that_never_ends_is_stopped(kernel: Callable[..., Any]) -> None:
    began = time.monotonic()
    with pytest.raises(TooLong, match=re.escape("shop find was stopped: it took more than 0.05 s")):
        guarded.guarded(kernel, "shop find")(NOTHING, {})
    assert time.monotonic() - began < 30


def test_what_was_set_before_is_set_again() -> None:
    before = signal.getsignal(signal.SIGALRM)
    assert guarded.guarded(lambda c, a: a["x"], "shop find")(NOTHING, {"x": 1}) == 1
    with pytest.raises(ZeroDivisionError):
        guarded.guarded(lambda c, a: 1 / 0, "shop find")(NOTHING, {})
    with pytest.raises(TooLong):
        guarded.guarded(loops, "shop find")(NOTHING, {})
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    time.sleep(0.1)  # nothing rings any more


def test_a_tool_that_was_stopped_three_times_is_suspended() -> None:
    run = guarded.guarded(loops, "shop find")
    for _ in range(STRIKES):
        with pytest.raises(TooLong):
            run(NOTHING, {})
    with pytest.raises(AppError) as refused:
        run(NOTHING, {})
    assert refused.value.kind == "unavailable"
    assert refused.value.message == "shop find is suspended: it was stopped 3 times"
    assert guarded.guarded(lambda c, a: 1, "shop get")(NOTHING, {}) == 1  # others are not


def test_where_nothing_could_stop_it_it_is_not_started() -> None:
    ran: list[int] = []
    raised: list[Exception] = []

    def elsewhere() -> None:
        try:
            guarded.guarded(lambda c, a: ran.append(1), "shop find")(NOTHING, {})
        except Unguarded as error:
            raised.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert ran == []
    assert "main thread" in str(raised[0])
