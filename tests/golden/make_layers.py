"""Writes layers.safetensors, the reference values of the layers' tests, in double:

    python3 tests/golden/make_layers.py          (needs PyTorch; the file names its version)

For each layer: its parameters (LAYER.parameter.NAME), input x, output y, a random gradient g of y,
and what PyTorch hands back to x and to the parameters (dx, LAYER.gradient.NAME).
"""

import peer
import torch
from torch import nn

LENGTHS = [4, 1, 6]  # of the packed sequences; also in tests/module_check.h
torch.manual_seed(1)
torch.set_default_dtype(torch.float64)
results = {}


def golden(layer, f, parameters, inputs, heads=1):
    for tensor in parameters.values():
        nn.init.normal_(tensor, 0.5 if tensor.dim() == 1 else 0.0, 0.5)
    y = f(*inputs)
    g = torch.randn_like(y)
    y.backward(g)
    results.update({f"{layer}.y": y, f"{layer}.g": g})
    for name, tensor in zip(("x",), inputs):
        results[f"{layer}.{name}"] = tensor.double()
        if tensor.requires_grad:
            results[f"{layer}.d{name}"] = tensor.grad
    for name, tensor in parameters.items():
        results[f"{layer}.parameter.{name}"] = peer.packed(name, tensor, heads)
        results[f"{layer}.gradient.{name}"] = peer.packed(name, tensor.grad, heads)


def rows(count, dim):
    return torch.randn(count, dim, requires_grad=True)


linear = nn.Linear(5, 3)
golden("linear", linear, {"weight": linear.weight, "bias": linear.bias}, [rows(7, 5)])

norm = nn.LayerNorm(6)
golden("layer_norm", norm, {"gamma": norm.weight, "beta": norm.bias}, [rows(5, 6)])

table = nn.Embedding(9, 4)
golden("embedding", table, {"weight": table.weight}, [torch.tensor([3, 8, 0, 3, 3, 1])])

ffn = nn.Sequential(nn.Linear(4, 10), nn.GELU(), nn.Linear(10, 4))
golden("feed_forward", ffn, {**peer.of_affine("up", ffn[0]), **peer.of_affine("down", ffn[2])},
       [rows(6, 4)])


def on_packed(f):
    """f on the padded batch, between packing and unpacking."""
    return lambda x: peer.unpadded(f(*peer.padded(x, LENGTHS)), LENGTHS)


attention = nn.MultiheadAttention(12, 3, batch_first=True)
golden("attention",
       on_packed(lambda x, mask: attention(x, x, x, key_padding_mask=mask, need_weights=False)[0]),
       peer.of_attention("", attention), [rows(sum(LENGTHS), 12)], heads=3)

layer = peer.encoder_layer(8, 2, 20)
golden("encoder_layer", on_packed(lambda x, mask: layer(x, src_key_padding_mask=mask)),
       peer.of_layer("", layer), [rows(sum(LENGTHS), 8)], heads=2)

model = peer.Classifier(vocabulary=11, classes=3, dim=8, layers=2, heads=4, hidden=12, max_length=7)
golden("classifier", lambda ids: model(ids, LENGTHS), model.named(),
       [torch.randint(11, (sum(LENGTHS),))], heads=4)

peer.save("layers", results)
