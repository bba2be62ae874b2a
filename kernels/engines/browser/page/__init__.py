"""A page in JavaScript: its parts in the order in which they are put together, inside one function that page scripts cannot see."""

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
