"""Integration methods: one class each, their coefficients, and the compiled steps."""
