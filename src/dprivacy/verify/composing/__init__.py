"""What several releases tell together, certified: losses on a grid, and Rényi divergences."""
