"""One impact of the front foot of a rimless wheel: critical values, the percussion centre, phases in closed form."""
