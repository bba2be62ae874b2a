"""The registry that gateways share: sessions, snapshots, running gateways, and the owners of sessions."""
