from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.contexts.engine.ids import ALPHABETS, check_template, make_id


@pytest.mark.parametrize(
    ("template", "pattern"),
    [
        ("om_{hex:32}", r"om_[0-9a-f]{32}"),
        ("tbl{alnum:13}", r"tbl[A-Za-z0-9]{13}"),
        ("{digits:19}", r"[1-9][0-9]{18}"),
        ("U{upper:8}", r"U[A-Z0-9]{8}"),
        ("{lower:8}@x", r"[a-z0-9]{8}@x"),
        ("AB{base64url:10}=", r"AB[A-Za-z0-9_-]{10}="),
        ("{uuid4}_0", r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}_0"),
    ],
)
def test_ids_have_the_declared_format(template: str, pattern: str) -> None:
    made = [make_id(template, 1, "x", n) for n in range(200)]
    assert all(re.fullmatch(pattern, i) for i in made)
    assert len(set(made)) == 200


@given(st.integers(-(2**63), 2**63 - 1), st.text(max_size=8), st.integers(0, 2**40))
def test_the_same_seed_name_and_counter_give_the_same_id(seed: int, name: str, counter: int) -> None:
    assert make_id("{hex:16}", seed, name, counter) == make_id("{hex:16}", seed, name, counter)


def test_another_process_makes_the_same_ids() -> None:
    program = "from contexts.engine.ids import make_id; print(make_id('om_{hex:32}{uuid4}{alnum:9}', -5, '消息', 3))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": h}
        ).stdout
        for h in ("1", "2")
    }
    assert runs == {make_id("om_{hex:32}{uuid4}{alnum:9}", -5, "消息", 3) + "\n"}


def test_characters_are_about_equally_likely() -> None:
    drawn = "".join(make_id("{alnum:50}", 0, "x", n) for n in range(400))
    counts = [drawn.count(c) for c in ALPHABETS["alnum"]]
    assert min(counts) > 0.7 * len(drawn) / 62
    assert max(counts) < 1.3 * len(drawn) / 62


@pytest.mark.parametrize("template", ["{hexx:3}", "{hex}"])
def test_templates_that_cannot_be_filled_are_refused(template: str) -> None:
    with pytest.raises(ValueError, match="id template"):
        check_template(template)
