"""How bodies move: positions, velocities and accelerations in joint coordinates or absolute ones."""
