"""Files of runs that chose their characters may come from anybody, too."""

from tokviz.basics.progress import ProgressCallback
from tokviz.formats.history_checks import HistoryFileError
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.narration.choosing import chooses
from tokviz.pretokenizers.normalizer import SPACE
from tokviz.trainers.settings import SettingError


def is_chosen(history: History, progress: ProgressCallback | None = None) -> bool:
    """Whether a history has the characters that its trainer chooses. It takes as long as the
    choice, which the history knows from then on. Raises Cancelled if the callback stops it."""
    if not isinstance(history, MergeHistory) or not chooses(history):
        return True
    alphabet = history.record.alphabet
    known = [symbol.text.replace(" ", SPACE) for symbol in alphabet if not symbol.unknown]
    try:
        chosen: list[str] = history.trainer.choice(history.words, progress).characters
    except SettingError:
        return False
    return known == chosen


def check_choice(history: History, name: str) -> None:
    """Raises HistoryFileError, which calls the file by `name`, for a history that has other
    characters than those that its trainer chooses. It takes as long as the choice."""
    if not is_chosen(history):
        raise not_chosen(name)


def not_chosen(name: str) -> HistoryFileError:
    """What says that the file of that name has other characters than its trainer chooses."""
    return HistoryFileError.saying(
        "{name} is damaged: its characters are not those that its settings choose.", name=name
    )
