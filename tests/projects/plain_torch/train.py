"""Train a small topic classifier on hashed character n-grams.

    python train.py --epochs 2 --batch-size 32
"""

import argparse
import hashlib
import json
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

BUCKETS = 40_000
MAX_GRAMS = 600


class NgramDataset(Dataset):
    """Lines of ``{"text": ..., "topic": ...}``; an item is the bucket numbers of its 3- to 5-grams."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as lines:
            self.records = [json.loads(line) for line in lines]
        self.topics = sorted({record["topic"] for record in self.records})

    def __len__(self):
        return len(self.records)

    def __getitem__(self, index):
        record = self.records[index]
        text = f"<{record['text'].lower()}>"
        grams = []
        for size in (3, 4, 5):
            for start in range(len(text) - size + 1):
                digest = hashlib.blake2b(text[start : start + size].encode(), digest_size=8).digest()
                grams.append(1 + int.from_bytes(digest, "little") % (BUCKETS - 1))
        grams = grams[:MAX_GRAMS] + [0] * (MAX_GRAMS - len(grams))
        return torch.tensor(grams), self.topics.index(record["topic"])


class Classifier(nn.Module):
    def __init__(self, topics, width=96):
        super().__init__()
        self.embedding = nn.Embedding(BUCKETS, width, padding_idx=0)
        self.layers = nn.Sequential(nn.Linear(width, 128), nn.ReLU(), nn.Linear(128, topics))

    def forward(self, grams):
        present = (grams > 0).unsqueeze(-1)
        mean = (self.embedding(grams) * present).sum(1) / present.sum(1).clamp(min=1)
        return self.layers(mean)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data/messages.jsonl")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--out", default="model.pt")
    args = parser.parse_args()

    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dataset = NgramDataset(Path(__file__).parent / args.data)
    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True, drop_last=True)
    model = Classifier(len(dataset.topics)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)

    for epoch in range(args.epochs):
        total = 0.0
        for step, (grams, topics) in enumerate(loader):
            grams, topics = grams.to(device), topics.to(device)
            optimizer.zero_grad(set_to_none=False)
            loss = F.cross_entropy(model(grams), topics)
            loss.backward()
            optimizer.step()
            total += loss.item()
            if step % 10 == 0:
                print(f"epoch {epoch} step {step} loss {loss.item():.4f}", flush=True)
        print(f"epoch {epoch} mean loss {total / len(loader):.4f}", flush=True)
        torch.save(model.state_dict(), args.out)


if __name__ == "__main__":
    main()
