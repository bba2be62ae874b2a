"""Calendars and their events."""
