"""How the simulated web answers requests: with pages of the app or the library, assets, and endpoints that store form data."""
