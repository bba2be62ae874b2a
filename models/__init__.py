"""Asking language models, and nothing else: a question, its answer, and who gives it.

`asking` says what a model is to those who ask; `chat`, `command` and `scripted` are models, `cassette` and `spend` stand in front
of one: kept answers, and a budget. `reading` finds JSON and code in what a model says, `stub` is an endpoint to try it all with.
"""
