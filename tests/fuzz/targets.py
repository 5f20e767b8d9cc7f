"""What is fuzzed: every target with its seeds, by name."""

import parsers
import texts
import training
import written

TARGETS = {
    "tables": (texts.word_table, texts.tables),
    "words": (texts.words, texts.samples),
    "patterns": (texts.pattern, texts.patterns),
    "trainers": (training.trainer, training.settings),
    "histories": (training.history_file, training.history_files),
    "links": (parsers.link, parsers.links),
    "addresses": (parsers.address, parsers.addresses),
    "moments": (parsers.moment, parsers.moments),
    "tokenizers": (parsers.tokenizer, parsers.tokenizers),
    "lessons": (parsers.lesson, parsers.lessons),
    "limits": (parsers.limits, parsers.limit_files),
    "exports": (written.exports, written.texts),
}
