"""Every use of Streamlit's undocumented parts (docs/streamlit.md)."""
