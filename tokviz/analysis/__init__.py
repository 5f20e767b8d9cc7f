"""Several runs beside one another, and one run on other texts: metrics, alignment, comparison."""
