"""Writes the reference values of the operations' tests: one text file per operation.

    python3 tests/golden/make_golden.py          (needs PyTorch; the files name its version)

A line is `name rank extents... values...`. Inputs are multiples of 1/64, which float and double
hold exactly; results are computed in double. `g` is the gradient that reaches the output, and
`d_x` is what PyTorch hands back to `x`.
"""

import pathlib
import platform

import torch
import torch.nn.functional as F

FOLDER = pathlib.Path(__file__).parent
torch.manual_seed(1)


def randn(*shape, scale=1.0):
    return torch.round(torch.randn(shape, dtype=torch.float64) * scale * 64) / 64


def write(name, tensors):
    with open(FOLDER / f"{name}.txt", "w") as out:
        out.write(f"# make_golden.py, torch {torch.__version__}, Python {platform.python_version()}\n")
        for key, tensor in tensors.items():
            extents = " ".join(str(e) for e in tensor.shape)
            values = " ".join(repr(v) for v in tensor.detach().double().reshape(-1).tolist())
            out.write(" ".join(f"{key} {tensor.dim()} {extents} {values}".split()) + "\n")


def golden(name, f, inputs, constants=None):
    """y = f(inputs) and the gradients of all inputs for a random gradient g of y."""
    leaves = {key: tensor.clone().requires_grad_() for key, tensor in inputs.items()}
    y = f(**leaves)
    g = randn(*y.shape)
    y.backward(g)
    gradients = {"d_" + key: leaf.grad for key, leaf in leaves.items()}
    write(name, {**(constants or {}), **inputs, "g": g, "y": y, **gradients})


golden("linear", F.linear, {"input": randn(5, 3), "weight": randn(4, 3), "bias": randn(4)})
golden("gelu", F.gelu, {"input": torch.cat([torch.arange(-12, 12.25, 0.25, dtype=torch.float64), randn(30)])})
golden("softmax", lambda x: F.softmax(x / 0.25, 1), {"x": randn(4, 7)})
golden("log_softmax", lambda x: F.log_softmax(x, 1), {"x": randn(4, 7, scale=3)})
golden("entropy", lambda x: torch.distributions.Categorical(logits=x / 0.5).entropy(), {"x": randn(5, 8)})
golden("layer_norm", lambda x, gamma, beta: F.layer_norm(x, (19,), gamma, beta, 1e-5),
       {"x": randn(5, 19, scale=2) + 3, "gamma": 1 + randn(19, scale=0.3), "beta": randn(19)})

ids = torch.tensor([3, 0, 3, 5, 3, 1])
golden("embedding", lambda table: F.embedding(ids, table), {"table": randn(6, 5)}, {"ids": ids})

targets = torch.tensor([2, 0, 4, 1])
for name, smoothing in (("cross_entropy", 0.0), ("cross_entropy_smoothed", 0.1)):
    golden(name, lambda logits: F.cross_entropy(logits, targets, label_smoothing=smoothing),
           {"logits": randn(4, 5, scale=2)}, {"targets": targets})

HEADS, WIDTH, LENGTHS = 2, 3, (3, 1, 5)


def packed_attention(qkv):
    """qkv [tokens, heads * 3 * width], sequence by sequence, without any padding."""
    outputs = []
    for part in qkv.split(LENGTHS):
        q, k, v = part.reshape(-1, HEADS, 3, WIDTH).permute(2, 1, 0, 3)
        out = F.scaled_dot_product_attention(q[None], k[None], v[None])[0]
        outputs.append(out.transpose(0, 1).reshape(-1, HEADS * WIDTH))
    return torch.cat(outputs)


golden("self_attention", packed_attention, {"qkv": randn(sum(LENGTHS), HEADS * 3 * WIDTH, scale=1.5)},
       {"lengths": torch.tensor(LENGTHS)})
