"""Asking a language model."""
