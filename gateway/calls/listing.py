"""What an address lists while a fault hides or renames tools; otherwise its list never changes."""

from __future__ import annotations

from dataclasses import replace

from soundstage.gateway.calls.face import Face, Target
from soundstage.gateway.faults import kept
from soundstage.gateway.sessions.session import Session
from soundstage.servers.tool import Tool


def listed_now(session: Session, face: Face) -> Face:
    """The face as it is to be listed now: `face` itself, unless the session's faults have changed which tools there are."""
    try:
        meta = session.context.read_meta()
        plan = kept.plan_of(session.context, meta)
    except Exception as error:
        if session.problem(error) is None:
            raise
        return face  # a list needs no context; calls will say what is wrong with it
    if plan is None or not plan.changes_lists:
        return face
    apps = {t.app.name: t.app for t in face.targets.values()}
    changed = {name: plan.listed(meta.counters, app) for name, app in apps.items()}
    targets: dict[str, Target] = {}
    for name, target in face.targets.items():
        new = changed[target.app.name].get(target.tool, target.app.tools[target.tool])
        if new is not None:
            targets[name + new.name.removeprefix(target.tool)] = _as(target, new)
    return face if targets.keys() == face.targets.keys() else replace(face, targets=targets)


def found_now(session: Session, face: Face, name: str) -> Target | None:
    """The target of a called name, which a fault may have given to a tool; None where nobody has it."""
    found = face.find(name)
    if found is not None:
        return found
    renamed = listed_now(session, face).targets.get(name)
    if renamed is None:
        return None
    # The app as it is: which tool has the name now is for the step to find out.
    app = next(t.app for t in face.targets.values() if t.app.name == renamed.app.name)
    return replace(renamed, app=app)


def _as(target: Target, new: Tool) -> Target:
    if new is target.app.tools[target.tool]:
        return target
    return replace(target, app=replace(target.app, tools={**target.app.tools, new.name: new}), tool=new.name)
