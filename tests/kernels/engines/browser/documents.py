"""Documents for tests, in the form in which a browser has a loaded page."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.execution_limits import Executions
from soundstage.kernels.engines.browser.document import Document


def page(html: str, **more: Any) -> Document:
    """Return a document of this HTML, whose scripts have run."""
    document = Document([], Executions())
    load = {
        "html": html, "url": "http://g.test/a/b", "plain": False, "seed": [1, 2, 3, 4], "viewport": {"width": 800, "height": 600},
        "agent": "x", "cookies": [], "storage": [], "session": [], "referrer": "", "length": 1, **more,
    }  # fmt: skip
    for script in document.do("load", load)["scripts"]:
        document.run_script(script["code"], "http://g.test/a/b")
    document.do("loaded", None)
    return document
