"""From a pool to an app: facts, files, candidates, what is accepted of them."""
