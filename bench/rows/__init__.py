"""One module per row of the speed table, each with a `measure`."""
