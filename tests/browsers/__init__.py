"""Our browser beside a real one: the same actions in both, and what each says, shows and keeps afterwards.

`python -m tests.browsers` compares everything; `pages/` and `episodes.jsonl` are what it compares on.
"""
