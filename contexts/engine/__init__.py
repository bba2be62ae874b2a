"""The state engine: schema, store, tree, clock, ids, keepers. It is independent of any particular app."""
