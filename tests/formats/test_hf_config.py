"""What a tokenizer_config.json says is shown, and changes no ids."""

import json

import pytest
from library_tokenizers import byte_level_bpe
from opened_texts import lines

from tokviz.formats.readers.opened import TokenizerFileError, open_tokenizer

CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "bos_token": "<s>",
    "pad_token": {"content": "<pad>", "lstrip": False},
    "unk_token": None,
    "chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}",
}


@pytest.fixture(scope="module")
def file():
    return byte_level_bpe().to_str().encode()


def opened(file, config, name="tokenizer_config.json"):
    return open_tokenizer({"tokenizer.json": file, name: json.dumps(config).encode()})


@pytest.mark.parametrize("name", ["tokenizer_config.json", "other.json"])
def test_uses_and_template_are_shown_and_ids_stay(file, name):
    alone, mine = open_tokenizer({"tokenizer.json": file}), opened(file, CONFIG, name)
    assert mine.facts["Special tokens by use"] == "bos_token: <s>, pad_token: <pad>"
    assert (mine.chat_template, alone.chat_template) == (CONFIG["chat_template"], "")
    assert (mine.name, mine.format, mine.notes) == (alone.name, alone.format, alone.notes)
    for line in lines(50, seed=9):
        assert mine.tokenizer.encode(line).ids == alone.tokenizer.encode(line).ids


def test_several_templates_have_their_names(file):
    several = [{"name": "default", "template": "a"}, {"name": "tools", "template": "b"}]
    mine = opened(file, {**CONFIG, "chat_template": several})
    assert mine.chat_template == "{# default #}\na\n\n{# tools #}\nb"


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"chat_template": 3}, "'chat_template' of a tokenizer_config.json should be a text"),
        ({"chat_template": [{"name": "x"}]}, "'template' of a template"),
        ({"bos_token": ["a"]}, "'bos_token' of a tokenizer_config.json should be a text"),
        ({"bos_token": {"content": 1}}, "'content' of the field 'bos_token'"),
        ({"bos_token": "\ud800"}, "half a surrogate pair"),
    ],
)
def test_what_is_no_text_is_refused(file, config, said):
    with pytest.raises(TokenizerFileError, match=said):
        opened(file, config)


def test_two_of_a_kind_are_not_one_tokenizer(file):
    with pytest.raises(TokenizerFileError, match="not one tokenizer"):
        open_tokenizer({"a.json": file, "b.json": file})


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("tokenizer_config.json", b"{}", "says how a tokenizer is used; open it together with its"),
        ("vocab.txt", b"[PAD]\n[UNK]\nthe\n##s\n", "is a list of tokens, which does not say how a"),
    ],
)
def test_files_that_stand_beside_a_tokenizer_say_what_to_open(name, data, said):
    with pytest.raises(TokenizerFileError, match=said):
        open_tokenizer({name: data})
