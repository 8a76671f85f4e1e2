"""What happens inside a collision: impulses of one contact and of several."""
