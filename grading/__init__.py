"""Tasks and how they are graded: the format, matchers, verdicts. Pure functions of what changed; no app, session or HTTP."""
