"""Access to language models: questions, answers, and providers.

`asking` defines the interface. `chat`, `command` and `scripted` are models; `cassette` and `spend` wrap one to store answers
and enforce a budget. `reading` extracts JSON and code from answers; `stub` is a test endpoint.
"""
