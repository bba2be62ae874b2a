"""Ranking and threading shared by the social apps."""
