"""The state engine: schema, store, tree, clock, ids, keepers. It knows no particular app."""
