"""The alerts and the dashboard use metrics that a gateway has, and Prometheus accepts them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from soundstage.gateway.metrics import REGISTRY
from tests.conftest import REPOSITORY

_RULES = REPOSITORY / "docker" / "prometheus" / "alerts.yml"
_DASHBOARD = REPOSITORY / "docker" / "grafana" / "soundstage.json"
_PAGE = REPOSITORY / "docs" / "operations.md"
_UNITS = Path(__file__).with_name("alerts_test.yml")
_OWN = ("up",)  # added by Prometheus for every target


def _metrics() -> set[str]:
    """Return every name under which a gateway's /metrics may show a sample."""
    suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}
    return {family.name + suffix for family in REGISTRY.collect() for suffix in suffixes.get(family.type, ("",))} | set(
        _OWN
    )


def _asked_for(expression: str) -> set[str]:
    """Return the metrics in a PromQL expression."""
    bare = re.sub(r'"[^"]*"', '""', expression)
    selected = re.findall(r"([A-Za-z_:][\w:]*)\s*[{\[]", bare)
    return {*selected, *re.findall(r"\b(?:soundstage|process)_\w+", bare)}


def _alerts() -> dict[str, dict[str, Any]]:
    groups = yaml.safe_load(_RULES.read_text())["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def _panels() -> list[dict[str, Any]]:
    return [p for p in json.loads(_DASHBOARD.read_text())["panels"] if p["type"] != "row"]


def _promtool() -> str:
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("needs promtool (apt-get install prometheus)")
    return program


@pytest.mark.parametrize("alert", sorted(_alerts()))
def test_alerts_use_existing_metrics(alert: str) -> None:
    metrics = _asked_for(_alerts()[alert]["expr"])
    assert metrics
    assert metrics <= _metrics()


@pytest.mark.parametrize("panel", _panels(), ids=lambda p: p["title"])
def test_panels_use_existing_metrics(panel: dict[str, Any]) -> None:
    for target in panel["targets"]:
        metrics = _asked_for(target["expr"])
        assert metrics
        assert metrics <= _metrics()


def test_the_dashboard_has_no_fixed_data_source_and_no_overlapping_panels() -> None:
    dashboard = json.loads(_DASHBOARD.read_text())
    assert [v["name"] for v in dashboard["templating"]["list"]] == ["datasource", "instance"]
    covered: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])}  # fmt: skip
        assert not cells & covered, panel["title"]
        covered |= cells
    for panel in _panels():
        assert {t["datasource"]["uid"] for t in panel["targets"]} == {"${datasource}"}
    assert len({p["id"] for p in dashboard["panels"]}) == len(dashboard["panels"])


def test_the_page_describes_a_response_to_every_alert() -> None:
    described = set(re.findall(r"^\| `(Soundstage\w+)` \|", _PAGE.read_text(), re.MULTILINE))
    assert described == set(_alerts())


def test_prometheus_accepts_the_rules() -> None:
    done = subprocess.run([_promtool(), "check", "rules", _RULES], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_prometheus_accepts_the_dashboards_queries(tmp_path: Path) -> None:
    filled = {
        f"{panel['title']} {target['refId']}": target["expr"]
        .replace("$__rate_interval", "1m")
        .replace("$instance", ".*")
        for panel in _panels()
        for target in panel["targets"]
    }
    rules = [{"record": f"panel:{number}", "expr": expression} for number, expression in enumerate(filled.values())]
    (tmp_path / "rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    done = subprocess.run([_promtool(), "check", "rules", tmp_path / "rules.yml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_prometheus_accepts_the_configuration_of_the_page(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```yaml\n(.*?)^```", _PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "prometheus.yml").write_text(block)
    (tmp_path / "alerts.yml").write_text(_RULES.read_text())
    (tmp_path / "soundstage-token").write_text("token")
    done = subprocess.run([_promtool(), "check", "config", tmp_path / "prometheus.yml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_alerts_fire_only_under_their_conditions(tmp_path: Path) -> None:
    (tmp_path / "units.yml").write_text(_UNITS.read_text().replace("RULES", str(_RULES)))
    done = subprocess.run([_promtool(), "test", "rules", tmp_path / "units.yml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
