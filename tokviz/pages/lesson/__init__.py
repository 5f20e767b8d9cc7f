"""The parts of a lesson on the page Learn."""
