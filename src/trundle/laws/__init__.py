"""Laws along one bond: efforts, flows, restitution, with their energies."""
