"""What an address lists while a fault hides or renames tools; otherwise its list never changes."""

from __future__ import annotations

from dataclasses import replace

import apsw

from soundstage.contexts.engine.problems import ContextError
from soundstage.gateway.faults import kept
from soundstage.gateway.faults.kinds.tool_renamed import ToolRenamed
from soundstage.gateway.mcp.faces import Face, Target
from soundstage.gateway.sessions.session import Session


def listed_now(session: Session, face: Face) -> Face:
    """The face as it is to be listed now: `face` itself, unless the session's faults have changed which tools there are."""
    try:
        meta = session.context.read_meta()
        plan = kept.plan_of(session.context, meta)
    except (ContextError, apsw.Error):
        return face  # a list needs no context; calls will say what is wrong with it
    if plan is None or not plan.hides_tools:
        return face
    apps = {t.app.name: t.app for t in face.targets.values()}
    hidden = {name: plan.hidden(meta.counters, app) for name, app in apps.items()}
    targets: dict[str, Target] = {}
    for name, target in face.targets.items():
        by = hidden[target.app.name].get(target.tool)
        if by is None:
            targets[name] = target
        elif isinstance(by.fault, ToolRenamed):
            targets[name + by.fault.suffix] = _renamed(target, by.fault)
    return face if targets.keys() == face.targets.keys() else replace(face, targets=targets)


def _renamed(target: Target, fault: ToolRenamed) -> Target:
    tool = target.app.tools[target.tool]
    new = replace(tool, name=tool.name + fault.suffix, input_schema=fault.new_schema(tool.input_schema))
    return Target(replace(target.app, tools={**target.app.tools, new.name: new}), new.name)
