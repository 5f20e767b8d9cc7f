"""Well-known tokenizers, by the names that open them, with a line on each for people."""

from collections.abc import Mapping

from tokviz.basics.messages import message

#: What the page Open offers, in its order.
GALLERY: Mapping[str, str] = {
    "o200k_base": message("GPT-4o and later, by OpenAI: byte BPE, 200,000 tokens"),
    "cl100k_base": message("GPT-3.5 and GPT-4, by OpenAI: byte BPE, 100,000 tokens"),
    "gpt2": message("GPT-2, by OpenAI: byte BPE, 50,000 tokens"),
    "Qwen/Qwen3-8B": message("Qwen 3, by Alibaba: byte BPE, each digit a word"),
    "deepseek-ai/DeepSeek-V3": message("DeepSeek V3: byte BPE, three patterns one after another"),
    "mistralai/Mistral-Nemo-Base-2407": message("Mistral Nemo, with Tekken: byte BPE"),
    "meta-llama/Llama-3.1-8B": message("Llama 3, by Meta: byte BPE; its owner lets people in"),
    "google/gemma-3-4b-it": message("Gemma 3, by Google: BPE; its owner lets people in"),
    "google-bert/bert-base-uncased": message("BERT, by Google: WordPiece in lower case"),
    "google-t5/t5-small": message("T5, by Google: Unigram, made with SentencePiece"),
    "FacebookAI/xlm-roberta-base": message("XLM-RoBERTa, by Meta: Unigram for 100 languages"),
    "openai/clip-vit-base-patch32": message("CLIP, by OpenAI: BPE of captions, in lower case"),
}
