"""A browser simulation whose whole state is in the rows of the context.

A document is stored as its source and a log of the operations since it was loaded. Each call rebuilds it by running the log
(`document.Document`), so a page's variables, listeners and timers persist, and a replay yields the same bytes. `page` is the
page itself: JavaScript that runs in QuickJS. `tabs` handles tabs, history and navigation; `errors` translates error messages to
V8's wording.
"""
