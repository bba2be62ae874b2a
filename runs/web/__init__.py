"""The web pages of tasks, runs and trials."""
