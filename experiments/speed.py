"""Runs bf-bench and pytorch_bench.py in turn and makes tables of their lines; speed.sh is the way to call it.

When all runs of a work are done, the lines that the programs printed are added to the results file, each with the start of
the session, the name of the work, the side, the round and the arguments. The tables are made from that file alone, for each
work from its latest session.
"""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile

# name: (what the table calls it, the arguments both programs get)
STANDARD = {
    "train256": ("train, D 256, mean 48", "--what train --dim 256 --mean 48"),
    "infer256": ("infer, D 256, mean 48", "--what infer --dim 256 --mean 48"),
    "train768": ("train, D 768, FFN 3072, mean 48", "--what train --dim 768 --ffn 3072 --mean 48 --batches 8"),
    "infer512": ("infer, D 256, mean 200, longest 512",
                 "--what infer --dim 256 --mean 200 --longest 512 --batch 16"),
    "latency": ("single sequences, D 256, mean 48", "--what latency --dim 256 --mean 48 --batches 50"),
}
LONG = (4096, 16384)
KS = (1, 2, 4, 8)
OTHERS = ("budget", "layer", "sparse", "scaling", "long", "profile")
MODELS = ("sdpa", "encoder")  # of pytorch_bench.py; the faster one is the one compared with
TINY = "--dim 64 --ffn 128 --layers 2 --vocab 500"


def works(quick):
    """{work: {side: arguments}} of everything but PyTorch's sides."""
    standard = {name: arguments for name, (_, arguments) in STANDARD.items()}
    model, layer, lengths = "--dim 256", "--dim 768", LONG
    if quick:
        few = f"{TINY} --batches 3 --warmup 1"
        standard = {name: " ".join([*arguments.split()[:2], few]) for name, arguments in standard.items()}
        model, layer, lengths = TINY, "--dim 64 --batches 3 --warmup 1", (256, 512)
    train, infer = standard["train256"], standard["infer256"]
    table = {name: {"ours": arguments} for name, arguments in standard.items()}
    budget = " --attention budget --active-heads "
    table["budget"] = {"dense": infer} | {f"K {k}": infer + budget + str(k) for k in KS}
    # Attention and nothing else worth naming: one layer, a feed-forward network of width 1, ten words, all of one length.
    layer = f"--what infer {layer} --layers 1 --ffn 1 --vocab 10 --longest 128 --mean 128000"
    table["layer"] = {"dense": layer} | {f"K {k}": layer + budget + str(k) for k in KS}
    table["sparse"] = {"dense": train, "K 1": train + budget + "1 --sparse"}
    table["scaling"] = {f"{what}, {n}": f"{arguments} --threads {n}"
                        for what, arguments in (("train", train), ("infer", infer)) for n in (1, 2)}
    # A mean far beyond the cut: the sequence that is measured has the full length.
    one = f"--what infer {model} --batch 1 --batches 1 --warmup 1"
    table["long"] = {f"{n}": f"{one} --longest {n} --mean {1000 * n}" for n in lengths}
    table["profile"] = {"train": train + " --profile", "infer": infer + " --profile",
                        "infer, 1 head of 8": infer + budget + "1 --profile"}
    return table


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        sys.exit(f"speed.sh: {' '.join(command)} ends with {done.returncode}: {done.stderr.strip()[-500:]}")
    return json.loads(lines[-1])


class Session:
    """One call of speed.sh: runs programs and keeps their lines."""

    def __init__(self, options):
        self.options = options
        self.start = datetime.datetime.now().isoformat(timespec="seconds")
        self.lines = []
        self.threads = [] if options.threads is None else ["--threads", str(options.threads)]

    def measure(self, work, side, arguments, turn):
        peer = side if side in MODELS else None
        program = [self.options.python, self.options.peer, "--model", peer] if peer else [self.options.bench]
        threads = [] if "--threads" in arguments else self.threads
        line = run([*program, *arguments.split(), *threads])
        self.lines.append({"session": self.start, "work": work, "side": side, "round": turn, "arguments": arguments} | line)
        print(f"{work}, {side}: {line['real_tokens_per_s']:.0f} tokens/s", file=sys.stderr)
        return line

    def rounds(self, work, sides, torch):
        """All sides in turn, as often as asked; PyTorch as the faster of its models, found in a round before."""
        if torch and work in STANDARD:
            first = {model: self.measure(work, model, sides["ours"], 0)["real_tokens_per_s"] for model in MODELS}
            sides = sides | {max(first, key=first.get): sides["ours"]}
        for turn in range(1, 1 + (1 if work in ("long", "profile") else self.options.rounds)):
            for side, arguments in sides.items():
                self.measure(work, side, arguments, turn)
        with open(self.options.out, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in self.lines)
        self.lines.clear()


class Results:
    """The latest session of every work in the results file: {side: [line of round 1, line of round 2, ...]}."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        latest = {line["work"]: line["session"] for line in lines}  # lines are in the order of time
        self.sides = {}
        for line in lines:
            if line["session"] == latest[line["work"]] and line["round"] > 0:
                self.sides.setdefault(line["work"], {}).setdefault(line["side"], []).append(line)
        shown = (line for sides in self.sides.values() for rounds in sides.values() for line in rounds)
        self.torch = next((line["program"] for line in shown if line["program"].startswith("pytorch")), None)

    def median(self, work, side, field):
        return statistics.median(line[field] for line in self.sides[work][side])

    def peer(self, work):
        """PyTorch's side of a work, or None."""
        return next((side for side in self.sides[work] if side in MODELS), None)

    def ratio(self, work, side, base, field):
        """Median, lowest and highest of the ratios within a round."""
        pairs = zip(self.sides[work][side], self.sides[work][base])
        ratios = [one[field] / other[field] for one, other in pairs]
        return statistics.median(ratios), min(ratios), max(ratios)


def rows_to_text(title, head, rows):
    if not rows:
        return ""
    cells = [head, ["---"] * len(head), *rows]
    return f"{title}\n\n" + "".join("| " + " | ".join(row) + " |\n" for row in cells) + "\n"


def spread(values):
    return "{:.2f} ({:.2f} to {:.2f})".format(*values)


def standard_table(results):
    rows = []
    for work, (title, _) in STANDARD.items():
        if work not in results.sides or work == "latency":
            continue
        speed, peer, memory = "real_tokens_per_s", results.peer(work), ""
        row = [title, f"{results.median(work, 'ours', speed):,.0f}"]
        if peer:
            row += [f"{results.median(work, peer, speed):,.0f} ({peer})",
                    spread(results.ratio(work, "ours", peer, speed))]
            memory = f"{results.ratio(work, 'ours', peer, 'peak_rss_mib')[0]:.2f}"
        else:
            row += ["not measured", ""]
        rates = [line["executed_flops"] / line["seconds"] / 1e9 / line["openblas_gflops"]
                 for line in results.sides[work]["ours"]]
        rows.append([*row, f"{results.median(work, 'ours', 'gemm_peak_fraction'):.2f}",
                     f"{statistics.median(rates):.2f}", memory])
    return rows_to_text("Against PyTorch; tokens are real ones, padding is not counted", [
        "work", "ours, tokens/s", "PyTorch, tokens/s", "ours / PyTorch", "of our products' rate", "of OpenBLAS's",
        "peak memory, ours / PyTorch"], rows)


def heads_table(results, work, title):
    rows = []
    for side in results.sides.get(work, {}):
        if side == "dense":
            continue
        flops = results.ratio(work, side, "dense", "executed_flops")[0]
        time = results.ratio(work, side, "dense", "seconds")
        rows.append([side[2:], f"{flops:.3f}", spread(time), f"{time[0] - flops:+.3f}"])
    return rows_to_text(title, ["heads of 8", "FLOPs / dense", "time / dense", "difference"], rows)


def scaling_table(results):
    rows = []
    for what in ("train", "infer") if "scaling" in results.sides else ():
        rows.append([what, spread(results.ratio("scaling", f"{what}, 2", f"{what}, 1", "real_tokens_per_s"))])
    return rows_to_text("Two threads against one", ["work", "speed, 2 / 1"], rows)


def latency_table(results):
    rows = []
    for quantile in ("median", "p95") if "latency" in results.sides else ():
        field, peer = "batch_seconds_" + quantile, results.peer("latency")
        row = [quantile, f"{1e3 * results.median('latency', 'ours', field):.2f}"]
        rows.append(row + ([f"{1e3 * results.median('latency', peer, field):.2f} ({peer})",
                            spread(results.ratio("latency", "ours", peer, field))] if peer else ["not measured", ""]))
    return rows_to_text("One sequence at a time, D 256, mean 48",
                        ["time of a sequence", "ours, ms", "PyTorch, ms", "ours / PyTorch"], rows)


def long_table(results):
    rows = [[f"{int(n):,}", f"{line['batch_seconds_median']:.2f}", f"{line['tensor_peak_mib']:.0f}",
             f"{line['peak_rss_mib']:.0f}"] for n, (line,) in results.sides.get("long", {}).items()]
    return rows_to_text("Long inputs, one at a time", ["tokens", "seconds", "tensors, MiB", "process, MiB"], rows)


def profile_table(results):
    text = ""
    for what, (line,) in results.sides.get("profile", {}).items():
        rows = []
        for kind, entry in line["profile"].items():
            if kind == "accounted":
                continue
            rate = f"{entry['gflops']} GFLOP/s" if "gflops" in entry else ""
            rate = rate or (f"{entry['gb_per_s']} GB/s" if "gb_per_s" in entry else "")
            rows.append([kind, f"{100 * entry['share']:.1f} %", rate])
        text += rows_to_text(f"Where the time goes, {what}: {100 * line['profile']['accounted']:.1f} % accounted for",
                             ["work", "share", "rate"], rows)
    return text


def tables(results, processor):
    title = f"Speed on {processor}; {results.torch or 'PyTorch not measured'}. Medians of rounds in turn, " \
            "in brackets lowest and highest.\n\n"
    return title + standard_table(results) + latency_table(results) \
        + heads_table(results, "budget", "BudgetFormer, inference, random heads for every sequence and layer") \
        + heads_table(results, "layer", "One layer of attention alone, inference, D 768, 32 sequences of 128 tokens") \
        + heads_table(results, "sparse", "BudgetFormer, training of the selected heads alone") \
        + scaling_table(results) + long_table(results) + profile_table(results)


def processor_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{names[0]}, {os.cpu_count()} processors" if names else f"{os.cpu_count()} processors"


def parse():
    names = [*STANDARD, *OTHERS]
    parser = argparse.ArgumentParser(prog="speed.sh", description="Measures speed and prints it as tables.")
    parser.add_argument("--bench", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--python", default=sys.executable, help="the Python that has torch (default: python3)")
    parser.add_argument("--peer", default="experiments/pytorch_bench.py", help="the PyTorch program")
    parser.add_argument("--rounds", type=int, default=5, help="how often each side runs (default: 5)")
    parser.add_argument("--threads", type=int, help="threads of both sides (default: their own, 2)")
    parser.add_argument("--only", default=",".join(names), help="some of: %(default)s")
    parser.add_argument("--quick", action="store_true", help="tiny models, one round, results thrown away unless --out")
    parser.add_argument("--tables", action="store_true", help="measure nothing: tables of what the results file holds")
    parser.add_argument("--out", help="the results file (default: experiments/results/speed.jsonl)")
    options = parser.parse_args()
    options.only = options.only.split(",")
    for name in options.only:
        if name not in names:
            parser.error(f"--only: \"{name}\" is not one of {', '.join(names)}")
    return options


def has_torch(python):
    try:
        return subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0
    except OSError as error:
        sys.exit(f"speed.sh: --python: {error}")


def measure_all(options):
    torch = has_torch(options.python)
    if not torch:
        print(f"speed.sh: {options.python} has no torch, so PyTorch is left out; --python names another",
              file=sys.stderr)
    help_text = subprocess.run([options.bench, "--help"], capture_output=True, text=True).stdout
    session = Session(options)
    for work, sides in works(options.quick).items():
        if work not in options.only:
            continue
        if work == "sparse" and "--sparse" not in help_text:
            print("speed.sh: this bf-bench has no --sparse, so sparse training is left out", file=sys.stderr)
            continue
        session.rounds(work, sides, torch)


def main():
    options = parse()
    scratch = tempfile.TemporaryDirectory()
    if options.quick:
        options.rounds = 1
        options.out = options.out or os.path.join(scratch.name, "speed.jsonl")
    options.out = options.out or "experiments/results/speed.jsonl"
    if not options.tables:
        measure_all(options)
    if not os.path.exists(options.out):
        sys.exit(f"speed.sh: {options.out} does not exist, and nothing was measured")
    text = tables(Results(options.out), processor_name())
    with open(os.path.splitext(options.out)[0] + ".md", "w", encoding="utf-8") as file:
        file.write(text)
    print(text, end="")


if __name__ == "__main__":
    main()
