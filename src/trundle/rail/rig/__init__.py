"""A wheelset on a roller rig, and the guide that holds it."""
