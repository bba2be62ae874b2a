"""A forward jump of the system clock is noticed once; slow rounds, adjustments and steps back are not jumps."""

from __future__ import annotations

from soundstage.gateway.clock_jumps import JumpDetector


def test_only_a_step_forwards_is_a_jump() -> None:
    wall, steady = [1_000_000.0], [50.0]
    detector = JumpDetector(lambda: wall[0], lambda: steady[0])

    def passes(wall_s: float, steady_s: float) -> float:
        wall[0] += wall_s
        steady[0] += steady_s
        return detector.jump_s()

    assert passes(2, 2) == 0
    assert passes(3600, 3600) == 0  # a round that took an hour, or a suspended machine
    assert passes(2.5, 2) == 0  # an adjustment
    assert passes(7200, 2) == 7198
    assert passes(2, 2) == 0
    assert passes(-7200, 2) == 0
    assert passes(2, 2) == 0


def test_the_clocks_of_this_machine_agree() -> None:
    assert JumpDetector().jump_s() == 0
