"""Test runs for a task's grader: runs that must pass, runs that must score nothing, runs that must be caught.

Runs are derived from the task, from the oracle's run, and from experiments. This package plays none of them;
`soundstage.runs.lint` does. Operators contain no task-specific data: names, places and times come from the world.
"""
