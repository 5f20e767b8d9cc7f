"""What everything else stands on: messages in the reader's language, errors, progress, files."""
