"""The static checks of the gate: code that it accepts, and code that it rejects before anything runs."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from soundstage.synthesis.generate.allowed import LANGUAGE, OURS
from soundstage.synthesis.generate.static_check import check
from tests.synthesis.generate.escapes import ALL, FOUND_BEFORE_GATES, RUN

GOOD = Path(__file__).with_name("memory") / "good"
KERNELS = Path(__file__).parents[3] / "kernels"
REFUSED_HOUSE = {
    "baidu_maps/map_search_places.py": "context.source is not available to kernels",
    "filesystem/search_files.py": "YieldFrom is not allowed",
    "lark/bitable_v1_appTableField_list.py": "a call that runs when the file is imported",
    "lark/bitable_v1_appTableRecord_batchCreate.py": "a call that runs when the file is imported",
    "lark/bitable_v1_appTableRecord_batchUpdate.py": "a call that runs when the file is imported",
    "lark/bitable_v1_appTableRecord_create.py": "a call that runs when the file is imported",
    "lark/bitable_v1_appTableRecord_update.py": "a call that runs when the file is imported",
    "lark/bitable_v1_appTable_create.py": "a call that runs when the file is imported",
    "lark/bitable_v1_appTable_list.py": "a call that runs when the file is imported",
    "paypal/generate_invoice_qr_code.py": "a call that runs when the file is imported",
    "mcpollinations/listImageModels.py": "_MODELS is shared by all sessions; under another name it could be changed",
    "paypal/create_shipment_tracking.py": "_SIZES is shared by all sessions; under another name it could be changed",
    "tushare/get_income_statement.py": "a call that runs when the file is imported",
    "notion/notion_find.py": "the name search is used by Python; use another name",
    "notion/notion_search.py": "the name search is used by Python; use another name",
    "telegram/get_drafts.py": "functions may not have decorators",
    "telegram/get_me.py": "functions may not have decorators",
    "telegram/get_sticker_sets.py": "functions may not have decorators",
    "telegram/import_contacts.py": "functions may not have decorators",
    "telegram/update_profile.py": "functions may not have decorators",
}
"""Kernels of the package's own apps that import only allowed modules and still do something forbidden."""


def findings(code: str, path: str = "kernels/shop/tool.py") -> list[str]:
    return [str(finding) for finding in check({path: code.encode()}, "shop")]


@pytest.mark.parametrize("name", ALL)
def test_every_escape_is_a_finding(name: str) -> None:
    assert findings(ALL[name]), name


def test_more_escapes_are_tested_than_were_known_at_first() -> None:
    assert len(FOUND_BEFORE_GATES) == 15
    assert len(ALL) >= 30


def test_a_finding_has_its_place_and_reason() -> None:
    assert findings(RUN + "    return open('a')\n") == ["kernels/shop/tool.py:2: the name open is not allowed"]


@pytest.mark.parametrize(
    "path",
    [
        "kernels/slack/tool.py", "kernels/shop/../slack/tool.py", "kernels/shop/rules/deep/a.py", "/kernels/shop/tool.py",
        "kernels/shop/__init__.py", "kernels/shop/tool.pyc", "servers/shop/dialect.py", "contexts/apps/shop.py",
        "kernels/shop/tool.py\n",
    ],
)  # fmt: skip
def test_an_unrequested_path_is_a_finding(path: str) -> None:
    assert findings(RUN + "    return 1\n", path)


def test_candidates_for_a_real_server_pass() -> None:
    files = {f"kernels/memory/{p.relative_to(GOOD).as_posix()}": p.read_bytes() for p in GOOD.rglob("*.py")}
    assert len(files) == 10
    assert check(files, "memory") == []


def test_kernels_of_real_apps_pass_if_their_imports_are_allowed() -> None:
    passed, refused = 0, {}
    for path in sorted(KERNELS.glob("*/[!_]*.py")):
        app, code = path.parent.name, path.read_bytes()
        if app != "engines" and _imports_what_it_may(code, app):  # the shared engines are not kernels
            problems = check({f"kernels/{app}/{path.name}": code}, app)
            passed += not problems
            if problems:
                refused[f"{app}/{path.name}"] = problems[0].problem
    assert refused == REFUSED_HOUSE
    assert passed >= 190


HOLES = {
    "an attribute of a context under another name": "def run(c, arguments):\n    c.remove(arguments['entity'], ())\n",
    "the same, handed on": "def run(c, arguments):\n    f = c.remove\n",
    "the same, by a star": "def run(c, arguments):\n    c.clear(*[1])\n",
    "a starred argument of iter": "from functools import partial\n\n\n" + RUN + "    any(iter(*[partial(int), 1]))\n",
    "an alias of a module value": "SEEN = []\n\n\n" + RUN + "    alias = SEEN\n    alias.append(1)\n",
    "a module value that a function returns":
    "SEEN = {}\n\n\ndef seen():\n    return SEEN\n\n\n" + RUN + "    seen()['a'] = 1\n",
    "a value inside of a module value": "SEEN = {'a': []}\n\n\n" + RUN + "    SEEN['a'].append(1)\n",
    "the clock as context":
    "from datetime import datetime as context\n\n\ndef run(c, arguments):\n    return context.now()\n",
    "the clock assigned to context":
    "from datetime import datetime\n\n\n" + RUN + "    context = datetime\n    return context.now()\n",
    "map inside of map": RUN + "    m = 'a'\n    for i in range(200000):\n        m = map(str, m)\n    return list(m)\n",
    "a generator over itself": RUN + "    m = 'a'\n    for i in range(200000):\n        m = (x for x in m)\n",
    "a decorator on an imported class": "from dataclasses import dataclass\n"
    "from soundstage.contexts.engine.app_context import AppContext\n\n\n" + RUN + "    dataclass(frozen=True)(AppContext)\n",
    "a decorator under another name": "from dataclasses import dataclass\n\n\n" + RUN + "    d = dataclass\n",
    "a text as an annotation": RUN + "    x: 'open' = 1\n",
    "a text as a parameter's annotation": "def run(context: 'AppContext', arguments):\n    return 1\n",
    "the type of a field": "from dataclasses import field\n\n\n" + RUN + "    return field().type\n",
    "an evaluated reference": RUN + "    return context.x.evaluate()\n",
}  # fmt: skip
"""Code that an earlier version of the gate accepted."""


@pytest.mark.parametrize("name", HOLES)
def test_a_hole_of_an_earlier_gate_is_closed(name: str) -> None:
    assert findings(HOLES[name]), name


@pytest.mark.parametrize(
    "code",
    [
        RUN + "    found = [1]\n    found.remove(1)\n    found.clear()\n    return found\n",
        "SIZES = ['a', 'b']\nNAMES = {'a': 1}\n\n\n"
        + RUN
        + "    return [*SIZES, *(n for n in NAMES), NAMES.get('a'), 'a' in SIZES, {**NAMES}, len(SIZES), SIZES + ['c']]\n",
        "from typing import Literal\n\n\ndef run(context, arguments) -> Literal['a', 'b']:\n    return 'a'\n",
        "from re import IGNORECASE, compile\n\n_ID = compile('^gd_[0-9a-f]{10}$', IGNORECASE)\n\n\n"
        + RUN
        + "    return bool(_ID.match(arguments['id']))\n",
        "from typing import TypedDict\n\n\nclass Good(TypedDict):\n    id: str\n    type: str\n\n\n"
        + RUN
        + "    return 1\n",
        "from dataclasses import dataclass, field\n\n\n@dataclass(frozen=True)\nclass A:\n    a: list = field()"
        "\n\n\n" + RUN + "    return A().a\n",
        "DAY = 24 * 60 * 60\n\n\n" + RUN + "    return DAY\n",
        RUN + "    while True:\n        if context.now:\n            return 1\n",
        RUN + "    return [f'{i:03d}' for i in range(arguments['n'])] + [1 if 3 in range(4) else 2]\n",
        RUN + "    for i, x in enumerate(reversed(range(9))):\n        yield i * x\n",
        "from re import sub\n\n\n" + RUN + "    return sub('(?:foo|bar)+', '', sub(r'\\s+', ' ', 'y'))\n",
    ],
)
def test_harmless_code_passes(code: str) -> None:
    assert findings(code) == []


def _imports_what_it_may(code: bytes, app: str) -> bool:
    nodes = list(ast.walk(ast.parse(code)))
    if any(isinstance(node, ast.Import) for node in nodes):
        return False
    return all(
        (node.module or "").startswith(f"soundstage.kernels.{app}.rules.")
        or {alias.name for alias in node.names} <= (LANGUAGE | OURS).get(node.module or "", set())  # type: ignore[operator]
        for node in nodes
        if isinstance(node, ast.ImportFrom)
    )
