"""Kernels of the Slack tools: `slack_*` are the reference server's, the others korotovsky's."""
