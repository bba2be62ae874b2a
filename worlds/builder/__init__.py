"""Worlds made from specs: people, their accounts and storylines become rows of every app.

`build` is the way in. Read `drafts` for what a world consists of before it is rows, `rows` for how declarations on
columns (`soundstage.contexts.engine.fill`) make rows of it, and `check` for what must hold afterwards.
"""
