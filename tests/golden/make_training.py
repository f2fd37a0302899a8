"""Writes training.safetensors: a small classifier and the losses of its first ten steps, in double:

    python3 tests/golden/make_training.py        (needs PyTorch; the file names its version)

Cross entropy, gradients clipped to a norm of 6 (some are above, some below), AdamW with rate 1e-3 and
decay 0.01 on weights only (not on biases, norms and the embedding of positions). Each step has its
own batch of six sequences: `lengths` [steps, 6], `labels` [steps, 6], and all token ids one after
another.
"""

import peer
import torch
from torch import nn

STEPS, BATCH, VOCABULARY, CLASSES, LENGTH = 10, 6, 40, 3, 12
torch.manual_seed(2)
torch.set_default_dtype(torch.float64)
model = peer.Classifier(VOCABULARY, CLASSES, dim=16, layers=2, heads=4, hidden=32, max_length=LENGTH)
start = {f"parameter.{name}": peer.packed(name, tensor.detach(), model.heads).float()
         for name, tensor in model.named().items()}
with torch.no_grad():  # train from the values as the file holds them
    for tensor in model.parameters():
        tensor.copy_(tensor.float())


def decays(name):
    return name.endswith("weight") and name != "positions.weight"


groups = [{"params": [t for n, t in model.named().items() if decays(n) == on],
           "weight_decay": 0.01 if on else 0.0} for on in (True, False)]
optimizer = torch.optim.AdamW(groups, lr=1e-3)

lengths = torch.randint(1, LENGTH + 1, (STEPS, BATCH))
labels = torch.randint(CLASSES, (STEPS, BATCH))
all_ids, losses, norms = [], [], []
for step in range(STEPS):
    ids = torch.randint(VOCABULARY, (int(lengths[step].sum()),))
    loss = nn.functional.cross_entropy(model(ids, lengths[step].tolist()), labels[step])
    optimizer.zero_grad()
    loss.backward()
    norms.append(nn.utils.clip_grad_norm_(model.parameters(), 6.0).item())
    optimizer.step()
    all_ids.append(ids)
    losses.append(loss.item())
print("losses", losses, "gradient norms", norms)

peer.save("training", {**start, "ids": torch.cat(all_ids).float(), "lengths": lengths.float(),
                       "labels": labels.float(), "losses": torch.tensor(losses),
                       "norms": torch.tensor(norms)})
