"""MCPollinations as people see it: each prompt with the picture or the text that came of it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.servers.disk.view.files import picture_at
from soundstage.servers.pictures import media_type
from soundstage.servers.results.view import Answer, Engine, show_results
from soundstage.servers.view import Call, Calls, Query, View

_VERBS = {
    "generateImageUrl": "Address of a picture",
    "generateImage": "Picture",
    "editImage": "Changed picture",
    "generateImageFromReference": "Picture after others",
    "listImageModels": "Models for pictures",
    "respondAudio": "Speech",
    "listAudioVoices": "Voices",
    "respondText": "Text",
    "listTextModels": "Models for texts",
}
_SAVED = re.compile(r"\n\nImage saved to: (.+)\Z")
_STARTED_IN = "/srv/workspace"
"""What the paths that the server tells go from."""


def show_calls(context: AppContext, query: Query, now: datetime, calls: Calls) -> View:
    """See `show_results`. A picture is shown as its file is at that moment."""

    def shown(call: Call) -> Answer:
        answer = read(call)
        data = picture(context, {"path": answer.drawn}) if answer.drawn else None
        return answer if data is not None and media_type(data) is not None else replace(answer, drawn=None)

    engine = Engine("MCPollinations", _VERBS, ("prompt",), shown, _troubles(context), has_web=False)
    return show_results(context, query, calls, engine)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """What is wrong with a part of the service is always to be seen."""
    return {} if entity == "service" else None


def picture(context: AppContext, query: Query) -> bytes | None:
    """See `picture_at`."""
    return picture_at(context.disk, query)


def read(call: Call) -> Answer:
    """What an answer says, and where its picture was saved."""
    saved = _SAVED.search(call.text)
    return Answer(drawn=posixpath.join(_STARTED_IN, saved[1]) if saved else None, text=call.text)


def _troubles(context: AppContext) -> list[str]:
    parts = context.list("service")
    return [f"{p['name']}: answers with HTTP {p['status']}." for p in parts if p.get("status") not in (None, 200)]
