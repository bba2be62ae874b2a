"""The mutants tool, on a small invented package and on an app."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.mutants.__main__ import Unusable, equivalents
from tests.mutants.changes import possible_changes, sample
from tests.mutants.selection import NoSuchRevision, changed_apps, choose
from tests.mutants.trials import AlreadyImported, Module, baseline, imported, modules, try_changes

SHOP = '''\
"""A shop's rules."""

from typing import Literal

from shop.prices import price

Size = Literal["small", "large"]


def order(wanted: dict, *, stock: int = 3) -> str:
    count = wanted.get("count", 1)
    if count > stock:
        return "too many"
    return f"{count} for {price(count)}"


def drain(count: int) -> int:
    while count > 0:
        count = count - 1
    return count
'''
PRICES = "def price(count: int) -> int:\n    return 20 * count\n"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Module]:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "rules.py").write_text(SHOP)
    (folder / "prices.py").write_text(PRICES)
    monkeypatch.syspath_prepend(str(tmp_path))
    return modules(folder, "shop")


def sells_three(changed: str) -> str | None:
    from shop.rules import drain, order

    drain(2)
    given = (order({"count": 3}), order({}), order({"count": 9}))
    return None if given == ("3 for 60", "1 for 20", "too many") else str(given)


def verdicts(shop: list[Module], *, limit_s: float = 20.0) -> dict[tuple[str, str], str]:
    changes = [change for module in shop for change in module.changes()]
    tried = try_changes(changes, shop, sells_three, jobs=2, limit_s=limit_s)
    return {(v.change.before, v.change.after): v.killed_by for v in tried}


def test_a_change_that_a_case_checks_is_killed_and_another_survives(shop: list[Module]) -> None:
    results = verdicts(shop)
    assert "too many" in results["count > stock", "count >= stock"]
    assert "TypeError" not in results["20", "21"]
    assert results["20", "21"]  # in a module that only another module imports
    assert results["return 'too many'", "pass"]
    assert results["'count'", "'count_'"]
    assert results["3", "4"] == ""  # no case orders four
    assert results["0", "1"] == ""  # no case checks the remaining stock


def test_a_change_that_never_ends_is_killed(shop: list[Module]) -> None:
    rules = next(module for module in shop if module.name == "shop.rules")
    rules = replace(rules, source="def order(wanted):\n    while wanted is None:\n        pass\n")
    (endless,) = rules.changes()
    (verdict,) = try_changes([endless], [rules], orders_once, jobs=1, limit_s=0.3)
    assert "took longer" in verdict.killed_by


def orders_once(changed: str) -> None:
    from shop.rules import order

    order({})


def test_without_a_change_the_cases_pass(shop: list[Module]) -> None:
    wrong, seconds = baseline(sells_three)
    assert wrong is None
    assert seconds < 10


def test_a_module_that_is_already_imported_is_refused(shop: list[Module], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shop.rules", sys)
    with pytest.raises(AlreadyImported, match=r"shop\.rules"):
        verdicts(shop)


def test_type_annotations_and_docstrings_are_not_changed() -> None:
    types = 'A = Literal["x"]\ndef f(a: L["x"]) -> L[1]:\n    """Says."""\n'
    source = f'"""Says."""\n{types}@dataclass(frozen=True)\nclass B:\n    a: L[1]\n'
    assert possible_changes(source, "a.py") == []


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("a == b", {"a != b"}),
        ("a < b", {"a <= b", "a >= b"}),
        ("a in b", {"a not in b"}),
        ("a is None", {"a is not None"}),
        ("a and b", {"a or b"}),
        ("not a", {"a"}),
        ("a = True", {"a = False"}),
        ("a = 0", {"a = 1"}),
        ("a['k']", {"a['k_']"}),
        ("{'k': b}", {"{'k_': b}"}),
        ("a == 'said so'", {"a != 'said so'", "a == 'said so_'"}),
        ("a in ('x', b)", {"a not in ('x', b)", "a in ('x_', b)"}),
        ("def f():\n    a(b, c, d=e)", {"def f():\n    a(c, b, d=e)", "def f():\n    a(b, c)"}),
        ("def f():\n  for a in b:\n    return c", {"def f():\n    for a in b:\n        pass"}),
        ("if a:\n    b", {"if not a:\n    b"}),
        ("[a for a in b if a]", {"[a for a in b if not a]"}),
        ("match a:\n    case 'x':\n        b", {"match a:\n    case 'x_':\n        b"}),
    ],
)  # fmt: skip
def test_the_possible_changes_of_a_source(source: str, changed: set[str]) -> None:
    made = [change.applied(source) for change in possible_changes(source, "a.py")]
    assert {ast.unparse(tree) for tree in made} == changed


def test_a_sample_is_the_same_for_a_seed_and_part_of_a_larger_one() -> None:
    source = "\n".join(f"def f{i}(a):\n    return a == {i}" for i in range(40))
    changes = possible_changes(source, "a.py")
    drawn = sample(changes, 10, seed=1)
    assert drawn == sample(changes[::-1], 10, seed=1)
    assert drawn != sample(changes, 10, seed=2)
    assert set(drawn) <= set(sample(changes, 20, seed=1))


def test_code_before_a_change_does_not_affect_the_sample() -> None:
    source = "\n".join(f"def f{i}(a):\n    return a == {i}" for i in range(40))
    before = [c.place for c in sample(possible_changes(source, "a.py"), 10, seed=1)]
    after = [c.place for c in sample(possible_changes(f"import re\n\n{source}", "a.py"), 10, seed=1)]
    assert before == after


def test_imports_are_followed_through_others(shop: list[Module]) -> None:
    rules = next(m for m in shop if m.name == "shop.rules")
    assert imported(rules, shop) == {"shop.rules", "shop.prices"}


def test_an_equivalent_change_is_found_by_its_line_and_needs_a_reason(tmp_path: Path) -> None:
    (change, *_) = (c for c in possible_changes(SHOP, "shop/rules.py") if c.after == "count >= stock")
    file = tmp_path / "equivalent.toml"
    entry = '[[equivalent]]\nfile = "shop/rules.py"\nline = "if count > stock:"\nbefore = "count > stock"\n'
    file.write_text(f'{entry}after = "count >= stock"\nreason = "stock is never reached"\n')
    assert equivalents(file, [change]) == {change: "stock is never reached"}
    file.write_text(f'{entry}after = "count >= stock"\n')
    with pytest.raises(Unusable, match="no reason"):
        equivalents(file, [change])
    file.write_text(f'{entry}after = "count == stock"\nreason = "?"\n')
    with pytest.raises(Unusable, match="no possible change"):
        equivalents(file, [change])


@pytest.mark.long
def test_the_command_prints_how_many_were_killed_and_fails_below_the_bar() -> None:
    command = [sys.executable, "-m", "tests.mutants", "slack", "--count", "3", "--bar", "101"]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert run.returncode == 1, run.stderr
    assert "slack: 3 of" in run.stdout
    assert "(bar 101 %)" in run.stdout


def test_an_app_without_cases_is_refused() -> None:
    command = [sys.executable, "-m", "tests.mutants", "nowhere"]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert run.returncode == 2
    assert "no cases" in run.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a file in every kind of folder that an app has, and one commit."""
    for name in ("kernels/slack/post.py", "contexts/apps/notion.py", "servers/gmail/tools.json", "docs/lark.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("first\n")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(repository: Path, *words: str) -> None:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.test")
    subprocess.run(["git", *identity, *words], cwd=repository, check=True, capture_output=True)


def commit(repository: Path) -> None:
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "Change files")


APPS = ("gmail", "lark", "notion", "slack", "telegram")


@pytest.mark.parametrize(
    ("path", "app"),
    [
        ("kernels/slack/post.py", ["slack"]),
        ("contexts/apps/notion.py", ["notion"]),
        ("servers/gmail/tools.json", ["gmail"]),
        ("tests/kernels/telegram/send.jsonl", ["telegram"]),
        ("docs/lark.md", []),
    ],
)
def test_an_app_changed_when_a_file_of_its_folders_differs(repository: Path, path: str, app: list[str]) -> None:
    (repository / path).parent.mkdir(parents=True, exist_ok=True)
    (repository / path).write_text("second\n")
    commit(repository)
    assert changed_apps(repository, "HEAD~1", APPS) == app
    assert changed_apps(repository, "HEAD", APPS) == []


def test_an_unknown_revision_is_an_error(repository: Path) -> None:
    with pytest.raises(NoSuchRevision, match="nowhere"):
        changed_apps(repository, "nowhere", APPS)


def test_changed_apps_are_tried_and_a_sample_of_the_others() -> None:
    chosen = [choose(APPS, ["slack"], at_most=2, others=2, seed=seed) for seed in range(20)]
    assert all("slack" in apps and len(apps) == 3 for apps in chosen)
    assert {app for apps in chosen for app in apps} == set(APPS)
    assert choose(APPS, ["slack"], at_most=2, others=2, seed=7) == chosen[7]


def test_of_many_changed_apps_only_a_sample_is_tried() -> None:
    assert len(choose(APPS, APPS, at_most=2, others=2, seed=0)) == 2
