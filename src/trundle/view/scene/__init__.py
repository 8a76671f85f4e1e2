"""What is to be seen of a run, as plain arrays: every painter draws the same scene."""
