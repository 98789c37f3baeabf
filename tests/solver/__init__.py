"""Tests of the engine; they run with Qt unimportable."""
