"""Pools and syntheses as pages of the gateway."""
