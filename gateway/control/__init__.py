"""The control plane's HTTP API."""
