// bf-bench: speed on defined work, one JSON line. The work (lengths, batches, model, training step)
// is fixed by the arguments alone, so that another program can be asked to do exactly the same.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "autograd/cross_entropy.h"
#include "autograd/scale.h"
#include "budgetformer/model.h"
#include "experiments/options.h"
#include "experiments/profile_text.h"
#include "experiments/sample.h"
#include "tensor/allocator.h"
#include "tensor/clock.h"
#include "tensor/gemm.h"
#include "tensor/kernels.h"
#include "tensor/panels.h"
#include "tensor/profile.h"
#include "tensor/require.h"
#include "train/adamw.h"
#include "train/batches.h"

namespace bf {
namespace {

struct BenchOptions {
  std::string what = "train", attention = "mha", gemm = "own";
  Index dim = 256, heads = 8, ffn = 1024, layers = 4, vocabulary = 20000, classes = 4;
  Index batch = 32, longest = 256, mean = 48, batches = 20, warmup = 3, threads = 2,
        active_heads = 1;
  Index pass_tokens = default_pass_tokens;
  bool sparse = false;
  double dropout = 0.1;
  bool profile = false;
};

/// Some sequences of a batch, and their share of it.
struct Pass {
  Ids tokens, labels;
  Segments segments;
  double share;
};
using Work = std::vector<Pass>;

/// 64-bit linear congruential generator -> u in (0, 1) -> 4 + Exp(mean - 4), cut to [4, longest].
std::vector<Index> skewed_lengths(Index count, Index mean, Index longest) {
  std::uint64_t state = 12345;
  std::vector<Index> lengths;
  for (Index i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double u = (static_cast<double>(state >> 11) + 0.5) / 9007199254740992.0;  // 2^53
    const double drawn = 4 - (static_cast<double>(mean) - 4) * std::log(1 - u);
    lengths.push_back(std::clamp(static_cast<Index>(drawn), Index{4}, longest));
  }
  return lengths;
}

/// `batches` batches, evenly spaced among 50 batches of sequences sorted by length.
std::vector<Work> make_work(const BenchOptions& options) {
  const std::vector<Index> lengths =
      skewed_lengths(50 * options.batch, options.mean, options.longest);
  std::vector<Index> order(lengths.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return lengths[a] < lengths[b]; });
  const Index groups = order.size() / options.batch;
  const Index stride = std::max<Index>(1, groups / options.batches);
  const RandomStream draw{7, 1};
  Index drawn = 0;
  const auto next_below = [&](Index bound) {
    return static_cast<Id>(static_cast<double>(bound) * draw.uniform(drawn++));
  };
  std::vector<Work> work;
  for (Index g = stride / 2; g < groups && work.size() < options.batches; g += stride) {
    std::vector<Index> batch_lengths;
    for (Index i = 0; i < options.batch; ++i) {
      batch_lengths.push_back(lengths[order[g * options.batch + i]]);
    }
    auto next = batch_lengths.begin();
    work.emplace_back();
    for (const Index count : pass_sizes(batch_lengths, options.pass_tokens)) {
      const Segments segments(std::vector<Index>(next, next + static_cast<std::ptrdiff_t>(count)));
      next += static_cast<std::ptrdiff_t>(count);
      std::vector<Id> tokens, labels;
      for (Index b = 0; b < count; ++b) labels.push_back(next_below(options.classes));
      for (Index t = 0; t < segments.tokens(); ++t) {
        tokens.push_back(next_below(options.vocabulary));
      }
      work.back().push_back({tokens, labels, segments,
                             static_cast<double>(count) / static_cast<double>(options.batch)});
    }
  }
  return work;
}

/// Single-precision operations per second of 2048 x 1024 x 1024 products: the best of eight.
double gemm_rate(GemmBackend backend) {
  const GemmBackend before = gemm_backend();
  set_gemm_backend(backend);
  const Tensor a = Tensor::full({2048, 1024}, 1), b = Tensor::full({1024, 1024}, 1);
  Tensor c({2048, 1024});
  double best = 0;
  for (int i = 0; i < 8; ++i) {
    const auto start = Clock::now();
    gemm(1, a, b, 0, c);
    best = std::max(best, 2.0 * 2048 * 1024 * 1024 / seconds_since(start));
  }
  set_gemm_backend(before);
  return best;
}

/// The same for the innermost loops of our products alone, on operands that stay in the first cache
/// of each thread: what no product can exceed.
double kernel_rate() {
  constexpr Index inner = 256, repeats = 20000;
  const PanelShape panel = panel_shape();
  const Tensor a = Tensor::full({panel.rows, inner}, 1);
  const PackedMatrix b(Tensor::full({inner, panel.cols}, 1));
  Tensor c({threads(), 1024 + panel.rows * panel.cols});
  double best = 0;
  for (int i = 0; i < 4; ++i) {
    const auto start = Clock::now();
    parallel_for(threads(), 1, [&](Index thread, Index) {
      const Matrix to(c.row(thread), panel.rows, panel.cols, panel.cols);
      const RowPanels rows = RowPanels::in_place(a);
      for (Index r = 0; r < repeats; ++r) {
        multiply_panels(1, rows, b.panels(0, inner, 0), inner, {false}, to);
      }
    });
    const double operations = 2.0 * static_cast<double>(panel.rows * panel.cols * inner * repeats);
    best = std::max(best, static_cast<double>(threads()) * operations / seconds_since(start));
  }
  return best;
}

/// CPU time over threads x time of 768 x 768 products: 1 if every thread works all the time, 1 /
/// threads if they take turns on one processor. The best of eight rounds.
double gemm_cpu_share() {
  const Tensor a = Tensor::full({768, 768}, 1), b = Tensor::full({768, 768}, 1);
  Tensor c({768, 768});
  double best = 0;
  for (int round = 0; round < 8; ++round) {
    const std::clock_t cpu_before = std::clock();
    const auto start = Clock::now();
    for (int i = 0; i < 5; ++i) gemm(1, a, b, 0, c);
    const double cpu = static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC;
    best = std::max(best, cpu / (static_cast<double>(threads()) * seconds_since(start)));
  }
  return best;
}

std::unique_ptr<TransformerClassifier> make_model(const BenchOptions& options) {
  TransformerConfig config;
  config.vocabulary = options.vocabulary;
  config.classes = options.classes;
  config.dim = options.dim;
  config.layers = options.layers;
  config.heads = options.heads;
  config.ffn = options.ffn;
  config.max_length = options.longest;
  config.dropout = options.dropout;
  if (options.attention == "mha") return std::make_unique<TransformerClassifier>(config, 0);
  // Random heads for every sequence and layer: the worst case for gathering.
  BudgetConfig budget;
  budget.policy = Policy::random_gate;
  budget.sparse_after = options.sparse ? 0 : 1;
  auto model = std::make_unique<BudgetFormerClassifier>(config, budget, 0);
  model->override_budget(static_cast<double>(options.active_heads) /
                         static_cast<double>(options.heads));
  model->set_progress(1);
  return model;
}

class Runner {
 public:
  explicit Runner(const BenchOptions& options)
      : training_(options.what == "train"),
        model_(make_model(options)),
        optimizer_(model_->named_parameters()) {
    model_->train(training_);
  }

  void run(const Work& batch) {
    if (!training_) {
      const NoGrad no_grad;
      for (const Pass& pass : batch) model_->forward(pass.tokens, pass.segments);
      return;
    }
    model_->begin_step(++step_);
    model_->zero_grad();
    for (const Pass& pass : batch) {
      const Variable loss = cross_entropy(model_->forward(pass.tokens, pass.segments), pass.labels);
      backward(scale(loss, static_cast<Real>(pass.share)));
    }
    optimizer_.step(1e-4, 1.0);
  }

 private:
  bool training_;
  std::unique_ptr<TransformerClassifier> model_;
  AdamW optimizer_;
  std::uint64_t step_ = 0;
};

double mebibytes(Index bytes) { return static_cast<double>(bytes) / 1048576; }

nlohmann::ordered_json measure(const BenchOptions& options) {
  const std::vector<Work> work = make_work(options);
  Runner runner(options);
  for (Index i = 0; i < options.warmup; ++i) runner.run(work[i * work.size() / options.warmup]);
  reset_peak_memory();
  const MemoryStats memory_before = memory_stats();
  const Flops flops_before = executed_flops();
  std::vector<double> seconds;
  Index tokens = 0;
  if (options.profile) start_profile();
  const std::clock_t cpu_before = std::clock();
  for (const Work& batch : work) {
    const auto start = Clock::now();
    runner.run(batch);
    seconds.push_back(seconds_since(start));
    for (const Pass& pass : batch) tokens += pass.segments.tokens();
  }
  const double cpu = static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC;
  const Profile profile = stop_profile();
  const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const Flops flops = executed_flops() - flops_before;
  const MemoryStats memory = memory_stats();
  const double peak_rss = mebibytes(peak_process_bytes());  // before the matrices of gemm_rate()
  const double rate = static_cast<double>(flops.total()) / total, own = gemm_rate(GemmBackend::own),
               openblas = gemm_rate(GemmBackend::openblas), peak = std::max(own, openblas);
  nlohmann::ordered_json line{
      {"program", "bf-bench"},
      {"what", options.what},
      {"attention", options.attention},
      {"dim", options.dim},
      {"layers", options.layers},
      {"heads", options.heads},
      {"sparse", options.sparse},
      {"active_heads", options.attention == "mha" ? options.heads : options.active_heads},
      {"batch", options.batch},
      {"threads", options.threads},
      {"real_tokens_per_s", std::round(10 * static_cast<double>(tokens) / total) / 10},
      {"seconds", total},
      {"cpu_seconds", cpu},
      {"batch_seconds_median", quantile(seconds, 0.5)},
      {"batch_seconds_p95", quantile(seconds, 0.95)},
      {"peak_rss_mib", std::round(peak_rss)},
      {"tensor_peak_mib", std::round(mebibytes(memory.peak_bytes))},
      {"system_allocations", memory.system_allocations - memory_before.system_allocations},
      {"executed_flops", flops.total()},
      {"attention_core_flops", flops.attention},
      {"gemm_peak_gflops", std::round(peak / 1e9)},
      {"gemm_peak_fraction", std::round(1000 * rate / peak) / 1000},
      {"openblas_gflops", std::round(openblas / 1e9)},
      {"kernel_gflops", std::round(kernel_rate() / 1e9)},
      {"gemm_cpu_share", std::round(100 * gemm_cpu_share()) / 100},
      {"simd", simd_target_name()},
      {"gemm_kernel", gemm_kernel_name()}};
  if (options.profile) {
    line["profile"] = profile_json(profile, total);
    std::cerr << profile_table(profile, total, work.size());
  }
  return line;
}

int bench_main(int argc, char** argv) {
  BenchOptions options;
  OptionList list("Options");
  add_choice(list, "what", options.what,
             "train: steps of forward, backward, clipping to 1.0, AdamW; infer: forward; latency: "
             "forward on single sequences",
             {"train", "infer", "latency"});
  add_choice(list, "attention", options.attention,
             "mha: multi-head; budget: random heads for every sequence and layer",
             {"mha", "budget"});
  add_count(list, "active-heads", options.active_heads, "heads that `budget` runs of --heads", 1);
  add_flag(list, "sparse", options.sparse,
           "training with `budget`: compute the active heads alone, forward and backward");
  add_count(list, "dim", options.dim, "width D of the model", 1, 1000000);
  add_count(list, "heads", options.heads, "heads H of a layer", 1, 10000);
  add_count(list, "ffn", options.ffn, "hidden width of the feed-forward network", 1, 10000000);
  add_count(list, "layers", options.layers, "encoder layers", 1, 1000);
  add_count(list, "vocab", options.vocabulary, "entries of the token table", 1);
  add_count(list, "classes", options.classes, "classes", 1);
  add_count(list, "batch", options.batch, "sequences of a batch", 1, 100000);
  add_count(list, "longest", options.longest, "longest sequence, tokens", 4, 1000000);
  add_count(list, "mean", options.mean, "mean length before the cut, tokens", 4, 1000000);
  add_count(list, "batches", options.batches, "batches to time", 1, 50);
  add_count(list, "warmup", options.warmup, "batches before timing starts", 1, 50);
  add_count(list, "pass-tokens", options.pass_tokens,
            "tokens that the model works on at a time; gradients of a batch add up", 1);
  add_choice(list, "gemm", options.gemm, "who computes matrix products", {"own", "openblas"});
  add_count(list, "threads", options.threads, "threads", 1, 1024);
  add_number(list, "dropout", options.dropout, "dropout in training", 0, 0.99);
  add_flag(list, "profile", options.profile,
           "time, GFLOP/s and GB/s by kind of work: in the line, and as a table on stderr");
  if (!parse_options(argc, argv, "Measures speed on defined work and prints one JSON line.",
                     list)) {
    return 0;
  }
  if (options.dim % options.heads != 0) {
    throw UsageError(
        join_parts("--dim: ", options.dim, " is not divisible by --heads ", options.heads));
  }
  if (options.active_heads > options.heads) {
    throw UsageError(
        join_parts("--active-heads: ", options.active_heads, " exceeds --heads ", options.heads));
  }
  if (options.sparse && (options.attention != "budget" || options.what != "train")) {
    throw UsageError("--sparse: needs --attention budget and --what train");
  }
  if (options.what == "latency") options.batch = 1;
  set_threads(options.threads);
  set_gemm_backend(options.gemm == "own" ? GemmBackend::own : GemmBackend::openblas);
  std::cout << measure(options).dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace bf

int main(int argc, char** argv) { return bf::run_main(argc, argv, bf::bench_main); }
