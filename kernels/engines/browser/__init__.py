"""A browser of our own, whose whole state is in the context's rows.

A document is kept as what it was loaded from and the log of what has been done to it since; each call makes it again by
running that log (`document.Document`), so that a page's variables, listeners and timers go on as they were, and a replay
gives the same bytes. `page` is the page itself, in JavaScript, which runs in QuickJS. `tabs` has tabs, history and
navigation, `errors` V8's words.
"""
