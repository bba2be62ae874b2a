"""The view of MCPollinations: each prompt with the resulting picture or text."""

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
"""The server's working directory, to which its paths are relative."""


def show_calls(context: AppContext, query: Query, now: datetime, calls: Calls) -> View:
    """Show the results (`show_results`). A picture shows the current content of its file."""

    def shown(call: Call) -> Answer:
        answer = read(call)
        data = picture(context, {"path": answer.drawn}) if answer.drawn else None
        return answer if data is not None and media_type(data) is not None else replace(answer, drawn=None)

    engine = Engine("MCPollinations", _VERBS, ("prompt",), shown, _troubles(context), has_web=False)
    return show_results(context, query, calls, engine)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a row; the state of the service is always visible."""
    return {} if entity == "service" else None


def picture(context: AppContext, query: Query) -> bytes | None:
    """Return the picture at a path (`picture_at`)."""
    return picture_at(context.disk, query)


def read(call: Call) -> Answer:
    """Return the text of a reply and the path of its picture."""
    saved = _SAVED.search(call.text)
    return Answer(drawn=posixpath.join(_STARTED_IN, saved[1]) if saved else None, text=call.text)


def _troubles(context: AppContext) -> list[str]:
    parts = context.list("service")
    return [f"{p['name']}: answers with HTTP {p['status']}." for p in parts if p.get("status") not in (None, 200)]
