"""The part of the page Open that finds a tokenizer by its name: well-known ones, any other of the
hub of models, and those in the folder of this server."""

from collections.abc import Mapping

import streamlit as st

from tokviz import Cancelled
from tokviz.basics.messages import _, said_by
from tokviz.formats.named.gallery import GALLERY
from tokviz.formats.readers.bounded_json import TokenizerFileError
from tokviz.pages.widgets.keys import NAMED, NAMED_DOWNLOAD, NAMED_OPENED
from tokviz.pages.widgets.markup import visible
from tokviz.pages.widgets.style import sentence
from tokviz.server import limits
from tokviz.server.limit_checks import size_said
from tokviz.server.opened.named_files import Download, folder_files, folder_names

#: Most characters of a name, and seconds between two looks at a download.
_LONGEST, _LOOK = 200, 0.1


def named_files() -> Mapping[str, bytes] | None:
    """Draw the choice of a name, and return the files of the chosen tokenizer; None where nothing
    is chosen, where it cannot be had (then a sentence says why), and on a server that has neither a
    folder nor downloads."""
    download, folder = limits.LIMITS.names.download, folder_names()
    if not download and not folder:
        return None
    about = dict.fromkeys(folder, _("in the folder of this server"))
    if download:
        about |= {name: _(line) for name, line in GALLERY.items() if name not in about}
        label = _("Or by name: choose one, or write owner/name of a model on the hub")
    else:
        label = _("Or by name")
    name = st.selectbox(
        label,
        [*about],
        index=None,
        format_func=lambda name: f"{visible(name)} · {about[name]}" if name in about else name,
        placeholder=_("Choose or write a name") if download else _("Choose one"),
        accept_new_options=download,
        key=NAMED,
    )
    if not name:
        _leave()
        return None
    try:
        return folder_files(name) if name in folder else _downloaded(name[:_LONGEST].strip())
    except (TokenizerFileError, Cancelled) as error:
        sentence(said_by(error))
        return None


def _downloaded(name: str) -> Mapping[str, bytes] | None:
    """Return the files of a name, downloaded once in this session; meanwhile draw how far it is,
    with a button to cancel."""
    opened = st.session_state.get(NAMED_OPENED)
    if opened and opened[0] == name:
        files: Mapping[str, bytes] = opened[1]
        return files
    download: Download | None = st.session_state.get(NAMED_DOWNLOAD)
    if download is None or download.name != name:
        _leave()
        download = st.session_state[NAMED_DOWNLOAD] = Download(name)
    if not download.wait(_LOOK):
        area = st.empty()
        with area.container():
            bar = st.empty()
            st.button(_("Cancel"), key="cancel_download", on_click=_cancel)
        while not download.wait(_LOOK):
            bar.progress(*_where(download))
        area.empty()
    del st.session_state[NAMED_DOWNLOAD]
    st.session_state[NAMED_OPENED] = name, download.files()
    return download.files()


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


def _cancel() -> None:
    _leave()
    st.session_state[NAMED] = None


def _leave() -> None:
    """Cancel the download of another name, if there is one."""
    if download := st.session_state.pop(NAMED_DOWNLOAD, None):
        download.cancel()
