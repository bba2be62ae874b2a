"""`soundstage doctor`: check the installation and configuration, and suggest fixes."""

from __future__ import annotations

from dataclasses import asdict

import typer

from soundstage.cli import options
from soundstage.cli.client import Control
from soundstage.cli.output import FAILED, print_json, print_text

_MARKS = {"ok": ("✓", "green"), "note": ("·", "yellow"), "bad": ("✗", "bold red")}


def doctor(data: options.Data = None, json: options.Json = False) -> None:
    """Check clients, commands, data folder and port. Exits with 1 if something is wrong."""
    from soundstage.gateway.connect.checks import examine
    from soundstage.gateway.connect.clients import Machine
    from soundstage.gateway.connect.trial import SESSION

    control = Control(data, None, None)
    folder = control.data
    findings = []
    for finding in examine(folder, control.url, Machine.this()):
        findings.append(finding)
        if not json:
            mark, style = _MARKS[finding.verdict]
            print_text((f"{mark} ", style), (f"{finding.about}: ", "bold"), finding.what)
            if finding.advice:
                print_text(f"    → {finding.advice}")
    if folder.exists() and control.find_session(SESSION) is not None:
        control.request("DELETE", f"/api/sessions/{SESSION}")
    if json:
        print_json([asdict(finding) for finding in findings])
    if any(finding.verdict == "bad" for finding in findings):
        raise typer.Exit(FAILED)
