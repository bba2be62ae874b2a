"""The tool list of an address while a fault hides or renames tools. Without such a fault the list never changes."""

from __future__ import annotations

from dataclasses import replace

from soundstage.gateway.calls.face import Face, Target
from soundstage.gateway.faults import schedule_store
from soundstage.gateway.sessions.session import Session
from soundstage.servers.tool import Tool


def listed_now(session: Session, face: Face) -> Face:
    """Return the toolset to list now: `face` itself, unless the session's faults have changed the tools."""
    try:
        meta = session.context.read_meta()
        plan = schedule_store.plan_of(session.context, meta)
    except Exception as error:
        if session.cause_of(error) is None:
            raise
        return face  # a list needs no context; calls report the context's problem
    if plan is None or not plan.changes_lists:
        return face
    apps = {t.app.name: t.app for t in face.targets.values()}
    changed = {name: plan.listed_tools(meta.counters, app) for name, app in apps.items()}
    targets: dict[str, Target] = {}
    for name, target in face.targets.items():
        new = changed[target.app.name].get(target.tool, target.app.tools[target.tool])
        if new is not None:
            targets[name + new.name.removeprefix(target.tool)] = _as(target, new)
    return face if targets.keys() == face.targets.keys() else replace(face, targets=targets)


def found_now(session: Session, face: Face, name: str) -> Target | None:
    """Return the target of a called name, including a name that a fault gave to a tool; None if no tool has it."""
    target = face.find(name)
    if target is not None:
        return target
    renamed = listed_now(session, face).targets.get(name)
    if renamed is None:
        return None
    # Use the unmodified app: the step itself finds out which tool has the name now.
    app = next(t.app for t in face.targets.values() if t.app.name == renamed.app.name)
    return replace(renamed, app=app)


def _as(target: Target, new: Tool) -> Target:
    if new is target.app.tools[target.tool]:
        return target
    return replace(target, app=replace(target.app, tools={**target.app.tools, new.name: new}), tool=new.name)
