"""The part of the page Open that finds a tokenizer by its name: well-known ones, any other of the
hub of models, and those in the folder of this server."""

from collections.abc import Mapping, Sequence

import streamlit as st

from tokviz import Cancelled
from tokviz.basics.messages import _, said_by
from tokviz.formats.named.gallery import GALLERY
from tokviz.formats.readers.bounded_json import TokenizerFileError
from tokviz.pages.widgets.keys import NAMED, NAMED_DOWNLOAD, NAMED_OPENED
from tokviz.pages.widgets.markup import visible
from tokviz.pages.widgets.style import sentence
from tokviz.server import limits, page_limits
from tokviz.server.limit_checks import size_said
from tokviz.server.opened.named_files import Download, folder_files, folder_names

#: Most characters of a name, and seconds between two looks at a download.
_LONGEST, _LOOK = 200, 0.1


def named_files() -> list[tuple[str, Mapping[str, bytes]]]:
    """Draw the choice of names, and return each with the files of its tokenizer; for one that
    cannot be had a sentence says why. On a server that has neither a folder nor downloads nothing
    is drawn (see `none_by_name`)."""
    download, folder = limits.LIMITS.names.download, folder_names()
    if not download and not folder:
        return []
    about = dict.fromkeys(folder, _("in the folder of this server"))
    if download:
        about |= {name: _(line) for name, line in GALLERY.items() if name not in about}
        label = _("Or by name: choose some, or write owner/name of a model on the hub")
    else:
        label = _("Or by name")
    chosen = st.multiselect(
        label,
        [*about],
        format_func=lambda name: f"{visible(name)} · {about[name]}" if name in about else name,
        placeholder=_("Choose or write names") if download else _("Choose some"),
        accept_new_options=download,
        max_selections=page_limits.lanes(),
        key=NAMED,
    )
    names = [_short(name) for name in chosen]
    _leave(but=names)
    found = []
    for name in names:
        try:
            files = folder_files(name) if name in folder else _downloaded(name)
        except (TokenizerFileError, Cancelled) as error:
            sentence(said_by(error))
        else:
            found.append((name, files))
    return found


def none_by_name() -> str:
    """Return why no tokenizer can be opened by its name on this server; "" if some can."""
    if limits.LIMITS.names.download or folder_names():
        return ""
    return _(
        "By name, such as Qwen/Qwen3-8B or o200k_base, this server opens none: whoever runs it can "
        "allow that in its limits file ([names]), and Python does it with {call}.",
        call='tokviz.open_tokenizer("Qwen/Qwen3-8B")',
    )


def _downloaded(name: str) -> Mapping[str, bytes]:
    """Return the files of a name, downloaded once in this session; meanwhile draw how far it is,
    with a button to cancel."""
    opened: dict[str, Mapping[str, bytes]] = st.session_state.setdefault(NAMED_OPENED, {})
    if name in opened:
        return opened[name]
    download: Download | None = st.session_state.get(NAMED_DOWNLOAD)
    if download is None or download.name != name:
        if download is not None:
            download.cancel()
        download = st.session_state[NAMED_DOWNLOAD] = Download(name)
    if not download.wait(_LOOK):
        area = st.empty()
        with area.container():
            bar = st.empty()
            st.button(_("Cancel"), key="cancel_download", on_click=_cancel, args=(name,))
        while not download.wait(_LOOK):
            bar.progress(*_where(download))
        area.empty()
    del st.session_state[NAMED_DOWNLOAD]
    opened[name] = download.files()
    return opened[name]


def _where(download: Download) -> tuple[float, str]:
    """Return how far a download is, as a share and as a sentence."""
    report = download.report
    if report is None or not report.total:
        return 0.0, _("Looking for {name} …", name=visible(download.name))
    done, all_of_it = size_said(report.done), size_said(report.total)
    share = min(1.0, report.done / report.total)
    return share, _(
        "{name}: {done} of {all}", name=visible(download.name), done=done, all=all_of_it
    )


def _cancel(name: str) -> None:
    state = st.session_state
    state[NAMED] = [each for each in state[NAMED] if _short(each) != name]
    _leave(but=[_short(each) for each in state[NAMED]])


def _short(name: str) -> str:
    return name[:_LONGEST].strip()


def _leave(but: Sequence[str] = ()) -> None:
    """Cancel the download, if there is one, and forget what was downloaded, but for some names."""
    state = st.session_state
    download: Download | None = state.get(NAMED_DOWNLOAD)
    if download is not None and download.name not in but:
        download.cancel()
        del state[NAMED_DOWNLOAD]
    for name in [name for name in state.get(NAMED_OPENED, ()) if name not in but]:
        del state[NAMED_OPENED][name]
