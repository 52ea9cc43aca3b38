"""Small real tokenizers and models made on the spot, without any download."""

from functools import cache

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

CHATML = ("{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
          "{% if add_generation_prompt %}<|im_start|>assistant\n"
          "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}")
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"]


@cache
def _bpe():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=420, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
                                  show_progress=False)
    tokenizer.train_from_iterator(["The user has a dog. The user dislikes crowds. Answer the current query."] * 3, trainer)
    return tokenizer.to_str()


def byte_tokenizer(**changes):
    """A Qwen-shaped byte-level BPE tokenizer with a ChatML template that honours enable_thinking."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(_bpe()), eos_token="<|im_end|>",
                                        pad_token="<|endoftext|>")
    tokenizer.chat_template = CHATML
    for name, value in changes.items():
        setattr(tokenizer, name, value)
    return tokenizer


def tiny_model(vocabulary=64, seed=0, layers=2, **changes):
    """A Qwen3-shaped model of some 70 k parameters."""
    torch.manual_seed(seed)
    shape = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": layers, "num_attention_heads": 4,
             "num_key_value_heads": 2, "head_dim": 16, "tie_word_embeddings": True, "initializer_range": 0.08,
             "max_position_embeddings": 4096} | changes
    return Qwen3ForCausalLM(Qwen3Config(vocab_size=vocabulary, **shape)).eval()
