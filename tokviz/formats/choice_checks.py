"""Files of runs that chose their characters may come from anybody, too."""

from tokviz.formats.history_checks import HistoryFileError
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.pretokenizers.normalizer import SPACE
from tokviz.trainers.settings import SettingError


def check_choice(history: History, name: str) -> None:
    """Raises HistoryFileError, which calls the file by `name`, for a history that has other
    characters than those that its trainer chooses. It takes as long as the choice."""
    trainer = history.trainer
    chooses = getattr(trainer, "auto_character_coverage", False)
    if not isinstance(history, MergeHistory) or not chooses:
        return
    alphabet = history.record.alphabet
    known = [symbol.text.replace(" ", SPACE) for symbol in alphabet if not symbol.unknown]
    try:
        chosen = trainer.choice(history.words).characters
    except SettingError:
        chosen = None
    if known != chosen:
        raise HistoryFileError.saying(
            "{name} is damaged: its characters are not those that its settings choose.", name=name
        )
