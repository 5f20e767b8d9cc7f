"""What libraries cut a text into, split by split: slow, and read off what they say of each byte."""

import json
from itertools import accumulate, groupby, pairwise

import sentencepiece
import tiktoken
import tokenizers

from tokviz.formats.readers.library import Split, placed, readable
from tokviz.pretokenizers import RegexPretokenizer, Word

BYTES = {
    "type": "BPE",
    "vocab": {f"<0x{byte:02X}>": byte for byte in range(256)},
    "merges": [],
    "byte_fallback": True,
}


def naive_splits(naive, text):
    known, places = readable(text)
    return [*placed(naive.splits(known), places)]


class NaiveTokenizers:
    """A tokenizer of `tokenizers`, and the same with a model that knows the 256 bytes."""

    def __init__(self, made):
        file = json.loads(made.to_str()) | {"post_processor": None}
        self.whole = tokenizers.Tokenizer.from_str(json.dumps(file))
        self.shape = tokenizers.Tokenizer.from_str(json.dumps(file | {"model": BYTES}))
        self.added = self.whole.get_added_tokens_decoder()

    def splits(self, text):
        found = self.whole.encode(text, add_special_tokens=False)
        shape = self.shape.encode(text, add_special_tokens=False)
        of_split = {
            number: [i for i, _ in group]
            for number, group in groupby(enumerate(found.word_ids), key=lambda item: item[1])
        }
        seen = zip(shape.ids, shape.offsets, shape.word_ids, strict=True)
        for number, group in groupby(seen, key=lambda item: item[2]):
            parts = [(i, span) for i, span, _ in group]
            at = of_split.get(number, [])
            own = tuple(found.ids[i] for i in at)
            token = self.special(text, parts, own)
            word = word_of(parts) if token is None else Word(token, *parts[0][1])
            yield Split(word, token is not None, own, tuple(found.offsets[i] for i in at))

    def special(self, text, parts, ids):
        """The added token that a stretch is, if it is one."""
        [(first, span), *others] = parts
        if others or len(ids) != 1 or ids[0] not in self.added:
            return None
        content = self.added[ids[0]].content
        normalizer = self.whole.normalizer
        names = content, normalizer.normalize_str(content) if normalizer else content
        return content if first >= 256 or text[slice(*span)].strip() in names else None


def word_of(parts):
    text = bytes([i for i, _ in parts]).decode()
    spans, at = [], 0
    for char in text:
        first, at = at, at + len(char.encode())
        spans.append((parts[first][1][0], parts[at - 1][1][1]))
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    return Word(text, start, end, tuple(spans))


class NaiveSentencePiece:
    """A model of `sentencepiece`, asked for the places of its pieces."""

    def __init__(self, data, prefixed):
        self.model = sentencepiece.SentencePieceProcessor(model_proto=data)
        self.prefixed = prefixed

    def splits(self, text):
        line, begins = self.model.normalize(text, with_offsets=True)
        found = self.model.encode(text, out_type="immutable_proto")
        if not line:
            return
        spans = [*pairwise(begins)]
        for i in reversed(range(len(spans) - 1)):
            if spans[i][0] == spans[i + 1][0]:
                spans[i] = spans[i][0], spans[i + 1][1]
        if self.prefixed:
            spans[0] = begins[0], begins[0]
        word = Word(line, spans[0][0], max(end for _, end in spans), tuple(spans))
        ids = tuple(piece.id for piece in found.pieces)
        yield Split(word, False, ids, tuple((piece.begin, piece.end) for piece in found.pieces))


class NaiveTiktoken:
    """Ranks and a pattern, run by `tiktoken` and `regex`."""

    def __init__(self, ranks, pattern):
        self.bytes = {rank: token for token, rank in ranks.items()}
        self.encoding = tiktoken.Encoding(
            "x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
        )
        self.pattern = RegexPretokenizer(pattern)

    def splits(self, text):
        ids = self.encoding.encode_ordinary(text)
        words = [(word.start, word.end) for word in self.pattern.words(text)]
        if sum(len(self.bytes[i]) for i in ids) == len(text.encode()):
            # What is between two words is one as well.
            edges = sorted({0, len(text), *(place for span in words for place in span)})
            words = [*pairwise(edges)]
        place = [i for s, e in words for i in range(s, e) for _ in text[i].encode()]
        ends = [*accumulate(len(text[start:end].encode()) for start, end in words)]
        at = begun = number = 0
        own, offsets = [], []
        for i in ids:
            first, at = at, at + len(self.bytes[i])
            own.append(i)
            offsets.append((place[first], place[at - 1] + 1))
            # A word that ends inside a token is none of the library's.
            while ends[number] < at:
                number += 1
            if ends[number] == at:
                number += 1
                places = [j for s, e in words[begun:number] for j in range(s, e)]
                spans = tuple((j, j + 1) for j in places)
                word = Word("".join(text[j] for j in places), places[0], places[-1] + 1, spans)
                yield Split(word, False, tuple(own), tuple(offsets))
                begun, own, offsets = number, [], []
