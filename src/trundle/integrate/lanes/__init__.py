"""Many runs at once in SIMD lanes."""
