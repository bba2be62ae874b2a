"""One gateway among several: being known to the others, and passing on what is theirs."""
