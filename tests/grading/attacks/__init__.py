"""Answers that are no answers: what an agent could paste to pass a task that it has not done."""
