"""The widgets of the schedule, driven by mouse and keys."""
