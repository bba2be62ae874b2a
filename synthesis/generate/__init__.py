"""From a recording to an app: facts, files, candidates, what is accepted of them."""
