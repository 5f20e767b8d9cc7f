"""Serve the pages to many visitors: limits, a pool of workers, caches, and patches of Streamlit."""
