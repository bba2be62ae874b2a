"""Slack's tools: those named `slack_*` are the reference server's, the others korotovsky's."""
