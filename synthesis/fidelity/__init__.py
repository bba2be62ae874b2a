"""Measuring simulated apps against recorded calls and real servers."""
