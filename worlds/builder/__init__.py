"""Building worlds from specs: people, their accounts and storylines become rows of every app.

`build` is the entry point. `drafts` describes what a world consists of before it becomes rows, `wording` and `fill` the
declarations of `soundstage.worlds.apps` for each app, `rows` the creation of rows from them, and `check` the rules for the
result.
"""
