"""A gateway in a cluster: membership, and forwarding requests to the owners of sessions."""
