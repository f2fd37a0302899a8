"""What make_layers.py and make_training.py share: the model in PyTorch, built from its own
encoder layers on padded batches with masks, its parameters under this project's names, and a
writer of safetensors files."""

import json
import pathlib
import platform
import struct

import torch
from torch import nn

FOLDER = pathlib.Path(__file__).parent
DTYPES = {torch.float32: "F32", torch.float64: "F64"}


def save(name, tensors):
    """Writes tests/golden/NAME.safetensors; the metadata says what made it."""
    versions = {"torch": torch.__version__, "python": platform.python_version()}
    header, data = {"__metadata__": versions}, b""
    for key, tensor in tensors.items():
        values = tensor.detach().contiguous().numpy().tobytes()
        header[key] = {
            "dtype": DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + len(values)],
        }
        data += values
    text = json.dumps(header).encode()
    (FOLDER / f"{name}.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


def pack_heads(qkv, heads):
    """[3 D, ...] with Wq, Wk, Wv stacked -> for each head its rows of Wq, Wk and Wv."""
    width = qkv.shape[0] // (3 * heads)
    return qkv.reshape(3, heads, width, -1).transpose(0, 1).reshape(qkv.shape)


def of_affine(prefix, module):
    return {f"{prefix}.weight": module.weight, f"{prefix}.bias": module.bias}


def of_norm(prefix, module):
    return {f"{prefix}.gamma": module.weight, f"{prefix}.beta": module.bias}


def of_attention(prefix, module):
    out = of_affine(f"{prefix}out", module.out_proj)
    return {f"{prefix}qkv.weight": module.in_proj_weight, f"{prefix}qkv.bias": module.in_proj_bias, **out}


def of_layer(prefix, layer):
    return {
        **of_norm(f"{prefix}attention_norm", layer.norm1),
        **of_norm(f"{prefix}ffn_norm", layer.norm2),
        **of_affine(f"{prefix}ffn.up", layer.linear1),
        **of_affine(f"{prefix}ffn.down", layer.linear2),
        **of_attention(f"{prefix}attention.", layer.self_attn),
    }


def encoder_layer(dim, heads, hidden):
    return nn.TransformerEncoderLayer(
        dim, heads, hidden, dropout=0, activation="gelu", batch_first=True, norm_first=True
    )


def padded(rows, lengths):
    """[tokens, ...] -> [B, longest, ...], and where the padding is [B, longest]."""
    batch = nn.utils.rnn.pad_sequence(torch.split(rows, lengths), batch_first=True)
    mask = torch.arange(batch.shape[1])[None, :] >= torch.tensor(lengths)[:, None]
    return batch, mask


def unpadded(batch, lengths):
    return torch.cat([batch[b, :n] for b, n in enumerate(lengths)])


class Classifier(nn.Module):
    def __init__(self, vocabulary, classes, dim, layers, heads, hidden, max_length):
        super().__init__()
        self.heads = heads
        self.tokens = nn.Embedding(vocabulary, dim)
        self.positions = nn.Embedding(max_length, dim)
        self.layers = nn.ModuleList(encoder_layer(dim, heads, hidden) for _ in range(layers))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)
        for parameter in self.parameters():  # nothing stays 0 or 1, so that every term is seen
            nn.init.normal_(parameter, 1.0 if parameter.dim() == 1 else 0.0, 0.3)

    def forward(self, ids, lengths):
        batch, mask = padded(ids, lengths)
        x = self.tokens(batch) + self.positions(torch.arange(batch.shape[1]))
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        kept = (~mask)[:, :, None]
        return self.head((self.norm(x) * kept).sum(1) / kept.sum(1))

    def named(self):
        result = {"tokens.weight": self.tokens.weight, "positions.weight": self.positions.weight}
        for index, layer in enumerate(self.layers):
            result.update(of_layer(f"layers.{index}.", layer))
        return {**result, **of_norm("layers.norm", self.norm), **of_affine("head", self.head)}


def packed(name, tensor, heads):
    return pack_heads(tensor, heads) if "qkv." in name else tensor
