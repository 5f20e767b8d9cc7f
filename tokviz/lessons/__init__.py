"""Lessons: stories told on live runs, as data that a teacher can write."""

# Importing them registers their facts.
from tokviz.lessons import character_facts as character_facts
from tokviz.lessons import crossing_facts as crossing_facts
from tokviz.lessons import merge_facts as merge_facts
from tokviz.lessons import parity_facts as parity_facts
from tokviz.lessons import picky_facts as picky_facts
from tokviz.lessons import slip_facts as slip_facts
from tokviz.lessons import unigram_facts as unigram_facts
