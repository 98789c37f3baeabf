"""Tests of the store of brackets."""
