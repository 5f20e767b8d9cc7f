"""Parts of a lesson on the page Learn."""
