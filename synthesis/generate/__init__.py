"""Generating apps from recordings: facts, files, candidates and their acceptance."""
