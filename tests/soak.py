#!/usr/bin/env python3
"""A long run of both halves of the product: does memory stay, does the speed?

    python3 tests/soak.py [--steps 20000] [--predictions 1000000] [--results FILE]

Trains for so many updates (a multiple of 10, at least 100) on two threads, then has bf-predict answer so many texts (at least
100) on one, and compares the last tenth of each with the second
tenth (the first one warms up): resident memory within 1 %, the median time of an update or an answer within 25 %. Moments of
words that are not seen again fall through the denormal numbers meanwhile, which would show in the time of an update.
Takes about ten minutes. Exit 1 if a bound is broken."""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BINARIES = Path(os.environ.get("BUILD", ROOT / "build")).resolve() / "experiments"
MEMORY_BOUND, TIME_BOUND = 1.01, 1.25
LOG_EVERY = 10  # updates; the last one has to be among them


def resident_bytes(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def tenth(values, number):
    """The median of a tenth of the values; `number` counts from 1."""
    size = len(values) // 10
    return statistics.median(values[(number - 1) * size:number * size])


class Sampler(threading.Thread):
    """Reads a process's resident memory five times a second until it ends."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.samples = process, []
        self.start()

    def run(self):
        while self.process.poll() is None:
            try:
                self.samples.append(resident_bytes(self.process.pid))
            except (OSError, IndexError):
                return
            time.sleep(0.2)


def judge(what, memory, seconds, lines):
    """Adds the lines about one half; True if both bounds hold."""
    grown = tenth(memory, 10) / tenth(memory, 2)
    slower = tenth(seconds, 10) / tenth(seconds, 2)
    lines.append(f"{what}: memory {tenth(memory, 2) / 2**20:.1f} MiB in the second tenth, {tenth(memory, 10) / 2**20:.1f} MiB "
                 f"in the last ({100 * (grown - 1):+.2f} %); "
                 f"{1e6 * tenth(seconds, 2):.0f} us each, then {1e6 * tenth(seconds, 10):.0f} us ({100 * (slower - 1):+.1f} %)")
    return grown <= MEMORY_BOUND and slower <= TIME_BOUND


def train(folder, steps, lines):
    # Without a dense start, in which an update is less work than later.
    command = [BINARIES / "bf-train", "--dataset", "synthetic", "--rows", "40000", "--dim", "32", "--layers", "2", "--heads", "4",
               "--attention", "budget", "--epochs", str(1 + steps // 1000), "--max-steps", str(steps), "--log-every", str(LOG_EVERY),
               "--threads", "2", "--dense", "0", "--out", folder]
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        memory = Sampler(process)
        if process.wait() != 0:
            sys.exit(f"soak: bf-train ends with {process.returncode}")
    with open(Path(folder) / "metrics.jsonl") as file:
        updates = [json.loads(line)["step"] for line in file if line.startswith('{"step"')]
    if updates[-1]["step"] != steps:
        sys.exit(f"soak: bf-train made {updates[-1]['step']} updates instead of {steps}")
    return judge(f"{steps} updates", memory.samples, [update["seconds"] for update in updates], lines)


def texts(count):
    chance = random.Random(1)
    words = "red blue box circle left above the a is next latest cup two three stranger".split()
    for _ in range(count):
        yield " ".join(chance.choices(words, k=chance.randint(1, 40)))


def predict(folder, count, lines):
    process = subprocess.Popen([BINARIES / "bf-predict", "--model", folder, "--threads", "1"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    memory = Sampler(process)

    def feed():
        for text in texts(count):
            process.stdin.write(text + "\n")
        process.stdin.close()

    threading.Thread(target=feed, daemon=True).start()
    seconds, answers, group, before = [], 0, max(1, count // 1000), time.monotonic()
    for _ in process.stdout:
        answers += 1
        if answers % group == 0:
            now = time.monotonic()
            seconds.append((now - before) / group)
            before = now
    if process.wait() != 0 or answers != count:
        sys.exit(f"soak: bf-predict ends with {process.returncode} after {answers} answers to {count} texts")
    return judge(f"{count} predictions", memory.samples, seconds, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--predictions", type=int, default=1000000)
    parser.add_argument("--results", help="file for the lines that are printed")
    options = parser.parse_args()
    if options.steps < 100 or options.steps % LOG_EVERY != 0 or options.predictions < 100:
        parser.error(f"expected at least 100 steps, a multiple of {LOG_EVERY}, and at least 100 predictions")
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "run")
        good = train(folder, options.steps, lines)
        print(lines[-1], flush=True)
        good = predict(folder, options.predictions, lines) and good
        print(lines[-1])
    lines.append("soak: ok" if good else "soak: FAILED")
    print(lines[-1])
    if options.results:
        Path(options.results).write_text("\n".join(lines) + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
