"""tokviz: how a subword tokenizer learns, step by step and exactly.

>>> import tokviz
>>> history = tokviz.train("low low lower", "bpe", vocab_size=7, pretokenizer="whitespace")
>>> history.narrate(1)
'Step 1: merged "l" + "o" into "lo" (3 times). 2 pairs tied at 3; \
"first-seen" chose "l" + "o", met first in "low".'

Four tables say by name what there is: algorithms with their settings, pre-tokenizers, settings of
libraries and texts, and bundled corpora.

>>> [*TRAINERS][:3], PRETOKENIZERS["gpt2"]().name
(['bpe', 'wordpiece', 'unigram'], 'gpt2')
>>> PRESETS["sennrich"].settings["end_of_word_suffix"], SAMPLES["hug-pug"].corpus["hug"]
('</w>', 10)
"""

from tokviz.analysis.comparison import Comparison, compare
from tokviz.analysis.what_if import Branching, branch, branching
from tokviz.basics.errors import (
    CorpusError,
    FileError,
    NotFoundError,
    OutOfRangeError,
    SettingError,
    TokvizError,
)
from tokviz.basics.moved import find_moved_modules
from tokviz.basics.progress import Progress
from tokviz.formats.history_file import HistoryFileError, load
from tokviz.formats.named.by_name import open_named as open_tokenizer
from tokviz.formats.readers.opened import OpenedTokenizer, TokenizerFileError
from tokviz.formats.readers.opened_replay import replay
from tokviz.history.base import History
from tokviz.pretokenizers import PRETOKENIZERS
from tokviz.text.corpus import Cancelled
from tokviz.text.samples import SAMPLES
from tokviz.text.word_counts import CountedWords, WordCounts
from tokviz.trainers import TRAINERS
from tokviz.trainers.presets import PRESETS
from tokviz.trainers.reached import TokvizWarning
from tokviz.trainers.training import make_trainer, train

__all__ = [
    "PRESETS",
    "PRETOKENIZERS",
    "SAMPLES",
    "TRAINERS",
    "Branching",
    "Cancelled",
    "Comparison",
    "CorpusError",
    "CountedWords",
    "FileError",
    "History",
    "HistoryFileError",
    "NotFoundError",
    "OpenedTokenizer",
    "OutOfRangeError",
    "Progress",
    "SettingError",
    "TokenizerFileError",
    "TokvizError",
    "TokvizWarning",
    "WordCounts",
    "branch",
    "branching",
    "compare",
    "load",
    "make_trainer",
    "open_tokenizer",
    "replay",
    "train",
]

__version__ = "0.1.0"

find_moved_modules()
