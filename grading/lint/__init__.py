"""What a task's grader is tried with: runs that must pass, runs that must earn nothing, runs that must be caught.

Runs are made here from the task, from how its oracle went, and from what was found by trying; nothing is played here:
`soundstage.runs.lint` does that. No operator knows a task: names, places and times come from the world.
"""
