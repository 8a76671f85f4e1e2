"""What acts along one bond: efforts, flows, restitution, with their energies."""
