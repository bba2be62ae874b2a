"""Our browser compared with a real one: the same actions in both, with their replies, pages and stored state.

`python -m tests.browsers` compares everything; `pages/` and `episodes.jsonl` are the pages and actions.
"""
