"""Worlds made from specs: people, their accounts and storylines become rows of every app.

`build` is the way in. Read `drafts` for what a world consists of before it is rows, `wording` and `fill` for what
`soundstage.worlds.apps` declares of each app, `rows` for how rows are made by it, and `check` for what must hold afterwards.
"""
