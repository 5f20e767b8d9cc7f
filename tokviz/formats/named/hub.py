"""Fetches the tokenizer of a model through `huggingface_hub`, which keeps its files in its cache.

The library's own settings hold: the address of the hub (HF_ENDPOINT), whose token is sent
(HF_TOKEN, or that of `hf auth login`), where the cache is (HF_HOME), and whether the network is
used at all (HF_HUB_OFFLINE). Only the files in `FILES` are asked for; no code of a model is run.

Source: huggingface/huggingface_hub, file_download.py and errors.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokviz.basics.messages import listed, message
from tokviz.basics.progress import ProgressCallback, Reporter
from tokviz.formats.readers.bounded_json import TokenizerFileError
from tokviz.text.corpus import Cancelled

#: Bytes of all files of one tokenizer; Gemma's tokenizer.json, one of the largest, has 33 million.
MOST_BYTES = 50_000_000
#: Seconds to wait for the hub's first word on a file.
_MOST_SECONDS = 10.0


@dataclass(frozen=True)
class ModelFile:
    """A file that is a tokenizer, and the one beside it, which must be there or may."""

    name: str
    beside: str = ""
    needed: bool = False


#: What a model's tokenizer can be; of several, the first is taken.
FILES = (
    ModelFile("tokenizer.json", "tokenizer_config.json"),
    ModelFile("tekken.json"),
    ModelFile("tokenizer.model"),
    ModelFile("spiece.model"),
    ModelFile("sentencepiece.bpe.model"),
    ModelFile("vocab.json", "merges.txt", needed=True),
    ModelFile("qwen.tiktoken"),
)


def fetch_from_hub(
    model: str,
    revision: str | None = None,
    progress: ProgressCallback | None = None,
    most_bytes: int = MOST_BYTES,
) -> dict[str, bytes]:
    """Return the files of a model's tokenizer, as name and contents. `model` is "owner/name",
    `revision` a branch, a tag or a commit; by default the branch main.

    Raises TokenizerFileError if there is no such model, if it is private or its owner has to let
    people in, if it has no tokenizer that can be opened, if the hub cannot be reached, or if the
    files are larger than `most_bytes`. Raises Cancelled if `progress`, which is told of bytes,
    returns False.
    """
    # It costs a quarter of a second to import.
    from huggingface_hub import errors

    fetching = _Fetching(model, revision, progress, most_bytes)
    try:
        for file in FILES:
            if (data := fetching.read(file.name)) is None:
                continue
            files = {file.name: data}
            if file.beside:
                beside = fetching.read(file.beside)
                if beside is not None:
                    files[file.beside] = beside
                elif file.needed:
                    continue
            return files
    except errors.HFValidationError:
        raise TokenizerFileError.saying(
            "{model!r} cannot be a model of the hub; look at its spelling.", model=model
        ) from None
    except errors.GatedRepoError:
        raise TokenizerFileError.saying(
            "The owner of {model} lets people in one by one: ask on the hub, then give your token "
            "in the environment variable HF_TOKEN.",
            model=model,
        ) from None
    except errors.RevisionNotFoundError:
        raise TokenizerFileError.saying(
            "{model} has no branch, tag or commit {revision!r}.", model=model, revision=revision
        ) from None
    except errors.RepositoryNotFoundError:
        raise TokenizerFileError.saying(
            "The hub knows no model {model}, or it is private; look at its spelling, or give the "
            "token of somebody who may see it in the environment variable HF_TOKEN.",
            model=model,
        ) from None
    except errors.HfHubHTTPError as error:
        raise TokenizerFileError.saying(
            "The hub refused {model} (status {status}); try again later.",
            model=model,
            status=error.response.status_code,
        ) from None
    if fetching.unreachable:
        raise TokenizerFileError.saying(
            "{model} is not in the cache of this computer, and the hub cannot be reached; check "
            "the connection, or open a file instead.",
            model=model,
        )
    raise TokenizerFileError.saying(
        "{model} has no tokenizer that can be opened; it would be one of {files}.",
        model=model,
        files=listed([file.name for file in FILES]),
    )


class _Fetching:
    """Reads files of one model, each from the cache if the hub says that it is the same."""

    def __init__(
        self,
        model: str,
        revision: str | None,
        progress: ProgressCallback | None,
        most_bytes: int,
    ) -> None:
        self._model, self._revision, self._progress = model, revision, progress
        self._most = self._left = most_bytes
        #: Whether the hub did not answer; then the cache alone is looked at.
        self.unreachable = False

    def read(self, name: str) -> bytes | None:
        """Return a file's contents, or None if the model, or the cache, does not have it."""
        from huggingface_hub import errors, hf_hub_download

        asked: dict[str, Any] = {
            "repo_id": self._model,
            "filename": name,
            "revision": self._revision,
            "etag_timeout": _MOST_SECONDS,
            "local_files_only": self.unreachable,
        }
        self._report(0, 0)
        try:
            found = hf_hub_download(**asked, dry_run=True)
            self._check(found.file_size or 0)
            count = self._counter(found.file_size or 0)
            data = Path(hf_hub_download(**asked, tqdm_class=_bar(count))).read_bytes()
        except errors.LocalEntryNotFoundError:
            self.unreachable = True
            return None
        except errors.EntryNotFoundError:
            return None
        self._check(len(data))
        self._left -= len(data)
        self._report(len(data), len(data))
        return data

    def _check(self, size: int) -> None:
        if size > self._left:
            raise TokenizerFileError.saying(
                "The tokenizer of {model} has more than {most:,} bytes, and no larger one is "
                "opened.",
                model=self._model,
                most=self._most,
            )

    def _counter(self, total: int) -> Callable[[int], None]:
        """Return what is told of bytes that have come; it ends the download when asked to."""
        reporter = Reporter("bytes", total, self._progress)
        done = 0

        def count(n: int) -> None:
            nonlocal done
            done += n
            self._check(done)
            if reporter.cancelled(done):
                self._cancel()

        return count

    def _report(self, done: int, total: int) -> None:
        if Reporter("bytes", total, self._progress).cancelled(done):
            self._cancel()

    def _cancel(self) -> None:
        raise Cancelled(message("Cancelled while {name} was downloaded.", name=self._model))


def _bar(count: Callable[[int], None]) -> Any:
    """Return a progress bar of the library's kind that draws nothing and counts bytes."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **{**named, "disable": True})

        def update(self, n: float | None = 1) -> None:
            count(int(n or 0))

    return Bar
