"""A document in Markdown as messages: a paragraph each."""


def paragraphs(document: str) -> list[str]:
    """The paragraphs, headings, tables and blocks of code of a document, between its empty lines.
    Where the lines of a paragraph end does not matter.

    >>> paragraphs("# One\\n\\nTwo\\nlines.\\n\\n| a |\\n|---|\\n")
    ['# One', 'Two lines.', '| a |\\n|---|']
    """
    parts = (part.strip("\n") for part in document.split("\n\n"))
    return [_in_one_line(part) for part in parts if part]


def _in_one_line(part: str) -> str:
    return part if part.startswith(("```", "|", "-")) else " ".join(part.split("\n"))
