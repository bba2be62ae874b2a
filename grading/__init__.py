"""Tasks and their grading: the format, matchers, verdicts. Pure functions of changes, independent of apps, sessions and HTTP."""
