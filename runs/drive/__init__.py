"""Working on trials: they are leased from a gateway, an agent works on each, and what it answers is handed in.

Everything here knows a gateway over HTTP alone, so whoever drives a run may sit on another machine.
"""
