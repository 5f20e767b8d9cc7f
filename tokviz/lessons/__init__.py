"""Lessons: stories told on live runs, as data that a teacher can write."""

# Importing them registers their facts.
from tokviz.lessons import unigram_facts as unigram_facts
