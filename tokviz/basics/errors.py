"""What is raised for wrong input: one family, whose messages say what was asked, what is possible
and what to change.

All are ValueErrors. Those for a number or a name that is not there are what Python raises for that
too, so that `except IndexError` and `except KeyError` hold them as well. Modules that read one kind
of thing have members of their own (`HistoryFileError` is a `FileError`). A file that cannot be read
or written at all is an OSError, as everywhere.
"""

from typing import Any, Self

from tokviz.basics.messages import message


class TokvizError(ValueError):
    """Wrong input of any kind; the message says what to change.

    >>> import tokviz
    >>> try:
    ...     tokviz.train("low lower", "bpe", vocab_size=0)
    ... except TokvizError as error:
    ...     print(error)
    vocab_size=0 is too small; the least is 1.
    """

    @classmethod
    def saying(cls, msgid: str, /, **values: Any) -> Self:
        """The error that says a `message`: a sentence with its values.

        >>> SettingError.saying("{n:,} is too many; give 9 at most.", n=1200)
        SettingError('1,200 is too many; give 9 at most.')
        """
        return cls(message(msgid, **values))


class CorpusError(TokvizError):
    """A corpus, or a text to encode, that cannot be used as one.

    >>> import tokviz
    >>> tokviz.train(None, "bpe", 10)
    Traceback (most recent call last):
    tokviz.basics.errors.CorpusError: a corpus is a text, a list of texts or a table word → count, \
but this is None; pass one of those.
    """


class SettingError(TokvizError):
    """A setting, or another argument of a call, that cannot be; the message says what was asked and
    what is possible.

    >>> import tokviz
    >>> tokviz.train("low lower", "bpe", 10, tie_break="random")
    Traceback (most recent call last):
    tokviz.basics.errors.SettingError: tie_break='random' is not known; choose one of first-seen, \
largest-pair, smallest-ids, shortest.
    """


class FileError(TokvizError):
    """A file that is not what it was taken for, or that cannot be made as asked.

    >>> import tokviz
    >>> tokviz.train("low lower", "bpe", 6, "whitespace").export("vocab.txt", "out")
    Traceback (most recent call last):
    tokviz.formats.exporters.strings.ExportError: vocab.txt is the vocabulary of WordPiece, and \
this run is one of bpe; train with the algorithm wordpiece.
    """


class OutOfRangeError(TokvizError, IndexError):
    """A state, a step or an id that is not there.

    >>> import tokviz
    >>> tokviz.train({"hug": 2}, "bpe", 5).vocab(9)
    Traceback (most recent call last):
    tokviz.basics.errors.OutOfRangeError: t=9 is not a state of this run; it has states 0 to 2.
    """


class NotFoundError(TokvizError, KeyError):
    """A word or token that a run does not have.

    >>> print(NotFoundError("'x' is in no vocabulary of this run."))
    'x' is in no vocabulary of this run.
    """

    # A KeyError shows its argument in quotes, and this one is a sentence.
    __str__ = Exception.__str__
