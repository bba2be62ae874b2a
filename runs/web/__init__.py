"""The pages of tasks, runs and trials."""
