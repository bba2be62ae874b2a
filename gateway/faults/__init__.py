"""Fault injection: schedules, kinds of fault, and the ledger."""
