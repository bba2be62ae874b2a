"""The state engine: schema, store, tree, clock, ids, storages. It is independent of any particular app."""
