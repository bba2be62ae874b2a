"""The speed table, measured: each row against a yardstick in the same run. `python -m bench` prints it."""
