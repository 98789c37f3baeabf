"""The window: draws what the engine proved, emits what the user wishes."""
