"""The form in which a run is set up."""
