"""Runs of tasks: sessions in which scripts and agents work, and their results."""
