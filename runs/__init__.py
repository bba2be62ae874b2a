"""Trying tasks: sessions in which scripts and agents work, and what became of them."""
