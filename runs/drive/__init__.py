"""Work on trials: lease them from a gateway, let an agent work on each, and submit its answers.

The package uses the gateway only over HTTP, so that runs can be driven from another machine.
"""
