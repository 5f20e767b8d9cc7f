"""What several pages draw alike."""
