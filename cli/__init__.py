"""The `soundstage` command."""
