"""Examines a bot before it goes anywhere: plays it as a ladder would, and tells its author what it got wrong."""
