"""What `tokviz app` starts: a script and its settings, in a folder in which Streamlit finds nothing
else."""
