"""Chats and the messages in them (im)."""
