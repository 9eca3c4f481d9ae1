"""From other programs: PRAM matrices, float channels, utility lists and Location Guard's levels."""
