"""The view-models: what the window says and draws, tested without Qt."""
