"""Text becomes distinct words with their counts, and words become symbols."""
