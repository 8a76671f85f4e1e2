"""Pictures of impacts: the percussion plane, maps of scenarios, a page with sliders, collisions over time."""
