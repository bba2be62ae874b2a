"""How the simulated web answers a request: from an app's pages and the library's, its assets, and endpoints that keep what is
sent.
"""
