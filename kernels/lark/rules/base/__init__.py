"""Bases (bitable): tables, their fields and records."""
