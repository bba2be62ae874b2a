"""Texts that an agent could paste to pass a task without carrying it out."""
