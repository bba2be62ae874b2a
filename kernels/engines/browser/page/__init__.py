"""The JavaScript of a page, assembled in order inside one function that is invisible to page scripts."""

from soundstage.kernels.engines.browser.page import (
    dates,
    driving,
    forms,
    html,
    locale,
    rendering,
    selecting,
    tree,
    window,
)

SOURCE = (
    "(() => {\n'use strict';\n"
    + "\n".join(part.SOURCE for part in (tree, html, selecting, rendering, window, forms, dates, locale, driving))
    + "\n})()"
)
