"""What several gateways know together: sessions, snapshots, which gateways run, and which of them has which session."""
