"""Tests of the JSON documents."""
