#!/usr/bin/env python3
"""bf-bench's work done by PyTorch on the CPU; one JSON line with the same names.

The options mean what they mean to bf-bench, and they fix the work: sequence lengths by the same integer recurrence, the same
choice of batches, the same model (pre-LN encoder with learned positions, GELU, a linear classifier on the mean of the tokens)
and the same step (forward, cross entropy, backward, clipping to norm 1.0, AdamW). PyTorch needs its batches padded to their
longest sequence; tokens are counted without padding. Two models:

  sdpa      the layers written out, attention by scaled_dot_product_attention with a mask
  encoder   nn.TransformerEncoder as it comes: post-LN, which its fast path for inference wants; that path skips padding
"""
import argparse
import json
import math
import resource
import time

import torch
from torch import nn
from torch.nn import functional as F

COUNTS = {"dim": 256, "heads": 8, "ffn": 1024, "layers": 4, "vocab": 20000, "classes": 4, "batch": 32, "longest": 256,
          "mean": 48, "batches": 20, "warmup": 3, "threads": 2}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--what", choices=["train", "infer", "latency"], default="train")
    parser.add_argument("--model", choices=["sdpa", "encoder"], default="sdpa")
    parser.add_argument("--dropout", type=float, default=0.1)
    for name, default in COUNTS.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    chosen = parser.parse_args()
    if chosen.what == "latency":
        chosen.batch = 1
    return chosen


def skewed_lengths(count, mean, longest):
    """64-bit linear congruential generator -> u in (0, 1) -> 4 + Exp(mean - 4), cut to [4, longest]."""
    state = 12345
    for _ in range(count):
        state = (6364136223846793005 * state + 1442695040888963407) & (2**64 - 1)
        u = ((state >> 11) + 0.5) / 2**53
        yield min(max(int(4 - (mean - 4) * math.log(1 - u)), 4), longest)


def make_batches(chosen):
    """(ids [B, longest of the batch], which of them are tokens, labels [B]): evenly spaced among 50 sorted batches."""
    lengths = sorted(skewed_lengths(50 * chosen.batch, chosen.mean, chosen.longest))
    groups = [torch.tensor(lengths[i:i + chosen.batch]) for i in range(0, len(lengths), chosen.batch)]
    stride = max(1, len(groups) // chosen.batches)
    batches = []
    for group in groups[stride // 2::stride][:chosen.batches]:
        real = torch.arange(int(group.max())) < group[:, None]
        ids = torch.randint(chosen.vocab, real.shape).masked_fill(~real, 0)
        batches.append((ids, real, torch.randint(chosen.classes, (len(group),))))
    return batches


class PreNormLayer(nn.Module):
    def __init__(self, chosen):
        super().__init__()
        self.heads = chosen.heads
        self.attention_norm, self.ffn_norm = nn.LayerNorm(chosen.dim), nn.LayerNorm(chosen.dim)
        self.qkv, self.out = nn.Linear(chosen.dim, 3 * chosen.dim), nn.Linear(chosen.dim, chosen.dim)
        self.up, self.down = nn.Linear(chosen.dim, chosen.ffn), nn.Linear(chosen.ffn, chosen.dim)
        self.dropout = nn.Dropout(chosen.dropout)

    def attend(self, x, mask):
        split = self.qkv(x).unflatten(-1, (3, self.heads, -1))                # [B, T, 3, H, d]
        q, k, v = split.permute(2, 0, 3, 1, 4)                                # [B, H, T, d] each
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)    # [B, H, T, d]
        return self.out(attended.transpose(1, 2).flatten(2))

    def forward(self, x, mask):
        x = x + self.dropout(self.attend(self.attention_norm(x), mask))
        return x + self.dropout(self.down(F.gelu(self.up(self.ffn_norm(x)))))


class Classifier(nn.Module):
    def __init__(self, chosen):
        super().__init__()
        self.tokens = nn.Embedding(chosen.vocab, chosen.dim)
        self.positions = nn.Embedding(chosen.longest, chosen.dim)
        self.dropout, self.head = nn.Dropout(chosen.dropout), nn.Linear(chosen.dim, chosen.classes)
        self.encoder = None
        if chosen.model == "encoder":
            layer = nn.TransformerEncoderLayer(chosen.dim, chosen.heads, chosen.ffn, chosen.dropout, F.gelu,
                                               batch_first=True)
            self.encoder = nn.TransformerEncoder(layer, chosen.layers)
        else:
            self.layers = nn.ModuleList(PreNormLayer(chosen) for _ in range(chosen.layers))
            self.norm = nn.LayerNorm(chosen.dim)

    def forward(self, ids, real):
        x = self.dropout(self.tokens(ids) + self.positions.weight[:ids.shape[1]])
        if self.encoder is not None:
            x = self.encoder(x, src_key_padding_mask=~real)
        else:
            for layer in self.layers:
                x = layer(x, real[:, None, None, :])
            x = self.norm(x)
        weight = real.unsqueeze(-1).to(x.dtype)
        return self.head((x * weight).sum(1) / weight.sum(1))


def make_step(chosen):
    model = Classifier(chosen)
    if chosen.what != "train":
        model.eval()
        return lambda ids, real, labels: model(ids, real)
    try:
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01, fused=True)
    except RuntimeError:  # older versions have the fused update on GPUs alone
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01)

    def step(ids, real, labels):
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(ids, real), labels).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step


def main():
    chosen = options()
    torch.set_num_threads(chosen.threads)
    torch.manual_seed(0)
    batches, step, seconds = make_batches(chosen), make_step(chosen), []
    with torch.set_grad_enabled(chosen.what == "train"):
        for i in range(chosen.warmup):
            step(*batches[i * len(batches) // chosen.warmup])
        for batch in batches:
            start = time.perf_counter()
            step(*batch)
            seconds.append(time.perf_counter() - start)
    tokens = sum(int(real.sum()) for _, real, _ in batches)
    slots = sum(real.numel() for _, real, _ in batches)
    ordered = sorted(seconds)
    line = {"program": f"pytorch {torch.__version__}", "what": chosen.what, "model": chosen.model}
    line |= {name: getattr(chosen, name) for name in ("dim", "layers", "heads", "batch", "threads")}
    line |= {"real_tokens_per_s": round(tokens / sum(seconds), 1), "seconds": round(sum(seconds), 6),
             "batch_seconds_median": ordered[(len(ordered) - 1) // 2],
             "batch_seconds_p95": ordered[int(0.95 * (len(ordered) - 1))],
             "padding_fraction": round(1 - tokens / slots, 3),
             "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}
    print(json.dumps(line))


if __name__ == "__main__":
    main()
