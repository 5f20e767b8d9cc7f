"""The script that `tokviz app` starts, and its settings, in a folder with nothing else for
Streamlit to find."""
