"""Builders, oracles and asserts that tests share."""
