"""The tool list of an address while a fault hides or renames tools. Without such a fault the list never changes."""

from __future__ import annotations

from dataclasses import replace

from soundstage.gateway.calls.call import Target, Toolset
from soundstage.gateway.faults import schedule_store
from soundstage.gateway.sessions.session import Session
from soundstage.servers.tool import Tool


def visible_toolset(session: Session, toolset: Toolset) -> Toolset:
    """Return the toolset to list now: `toolset` itself, unless the session's faults have changed the tools."""
    try:
        meta = session.context.read_meta()
        plan = schedule_store.plan_of(session.context, meta)
    except Exception as error:
        if session.cause_of(error) is None:
            raise
        return toolset  # a list needs no context; calls report the context's problem
    if plan is None or not plan.changes_lists:
        return toolset
    apps = {t.app.name: t.app for t in toolset.targets.values()}
    changed = {name: plan.listed_tools(meta.counters, app) for name, app in apps.items()}
    targets: dict[str, Target] = {}
    for name, target in toolset.targets.items():
        new = changed[target.app.name].get(target.tool, target.app.tools[target.tool])
        if new is not None:
            targets[name + new.name.removeprefix(target.tool)] = _as(target, new)
    return toolset if targets.keys() == toolset.targets.keys() else replace(toolset, targets=targets)


def find_target(session: Session, toolset: Toolset, name: str) -> Target | None:
    """Return the target of a called name, including a name that a fault gave to a tool; None if no tool has it."""
    target = toolset.find(name)
    if target is not None:
        return target
    renamed = visible_toolset(session, toolset).targets.get(name)
    if renamed is None:
        return None
    # Use the unmodified app: the step itself finds out which tool has the name now.
    app = next(t.app for t in toolset.targets.values() if t.app.name == renamed.app.name)
    return replace(renamed, app=app)


def _as(target: Target, new: Tool) -> Target:
    if new is target.app.tools[target.tool]:
        return target
    return replace(target, app=replace(target.app, tools={**target.app.tools, new.name: new}), tool=new.name)
