#include <doctest/doctest.h>

#include "autograd/add.h"
#include "autograd/cross_entropy.h"
#include "budgetformer/head_dispatch.h"
#include "nn/init.h"
#include "tests/policy.h"
#include "tests/same_bits.h"
#include "tests/units.h"

using namespace bf;

namespace {

/// Columns of a second matrix beside one of `cols` columns.
Index other(Index cols) { return cols / 3 + 2; }

/// A layer that maps [rows, cols] row by row; `made` has disturbed parameters.
template <typename Layer, typename... Args>
Bits layer_bits(Index rows, Index cols, Args... args) {
  RandomSource random(1);
  Layer layer(args..., random);
  disturb(layer, 3);
  const Variable x = random_input({rows, cols}, 1);
  return module_bits(layer, x, [&] { return layer.forward(x); });
}

/// Extents of a model with `cols` columns and 3 heads.
TransformerConfig config_for(Index cols) {
  return {.vocabulary = 40,
          .classes = 3,
          .dim = cols,
          .layers = 2,
          .heads = 3,
          .width = cols / 17 + 1,
          .ffn = other(cols),
          .max_length = 256,
          .dropout = 0.2};
}

/// A layer that maps packed sequences; `step` begins a step of `random` before each forward.
Bits sequence_bits(Index rows, Index cols, Module& module, RandomSource& random,
                   const std::function<Variable(const Variable&, const Segments&)>& f) {
  const Segments segments(odd_lengths(rows));
  const Variable x = random_input({rows, cols}, 1);
  return module_bits(module, x, [&] {
    random.begin_step(5);
    return f(x, segments);
  });
}

Bits dropout_bits(Index rows, Index cols) {
  RandomSource random(1);
  Dropout layer(0.3, random);
  return sequence_bits(rows, cols, layer, random, [&](const Variable& x, const Segments&) {
    return layer.residual(x, layer.forward(x));
  });
}

Bits embedding_bits(Index rows, Index cols) {
  RandomSource random(1);
  Embedding layer(40, cols, 1, random);
  const Ids ids = seeded_ids(rows, 1);
  return module_bits(layer, Variable(), [&] { return layer.forward(ids); });
}

Bits attention_bits(Index rows, Index cols) {
  RandomSource random(1);
  MultiHeadAttention layer(cols, 3, random, cols / 17 + 1);
  return sequence_bits(rows, cols, layer, random,
                       [&](const Variable& x, const Segments& s) { return layer.forward(x, s); });
}

Bits encoder_bits(Index rows, Index cols) {
  RandomSource random(1);
  const TransformerConfig config = config_for(cols);
  Encoder layers(
      config,
      [&](Index) { return std::make_unique<MultiHeadAttention>(cols, 3, random, cols / 17 + 1); },
      random);
  disturb(layers, 3, 0.1);
  return sequence_bits(rows, cols, layers, random,
                       [&](const Variable& x, const Segments& s) { return layers.forward(x, s); });
}

/// Logits in training, and their loss with the policy's, for a classifier of any kind.
Bits classifier_bits(TransformerClassifier& model, Index rows,
                     const std::function<Variable()>& policy_loss = {}) {
  disturb(model, 3, 0.1);
  const Segments segments(odd_lengths(rows));
  const Ids ids = seeded_ids(rows, 1), targets = seeded_ids(segments.count(), 2, 3);
  return module_bits(model, Variable(), [&] {
    model.begin_step(5);
    const Variable loss = cross_entropy(model.forward(ids, segments), targets);
    const Variable more = policy_loss ? policy_loss() : Variable();
    return more.defined() ? add(loss, more) : loss;
  });
}

Bits initial_bits(Index rows, Index cols) {
  RandomSource random(1);
  Bits bits;
  bits.add("Xavier", xavier_uniform(rows, cols, random));
  bits.add("Kaiming", kaiming_uniform(rows, cols, random));
  bits.add("normal", normal_init({rows, cols}, 0.5, random));
  bits.add("waves", sinusoidal_positions(rows, cols));
  return bits;
}

const ThreadTable layers{
    {"linear", "", [](Index r, Index c) { return layer_bits<Linear>(r, c, c, other(c)); }},
    {"feed_forward", "",
     [](Index r, Index c) { return layer_bits<FeedForward>(r, c, c, other(c)); }},
    {"layer_norm", "",
     [](Index rows, Index cols) {
       LayerNorm layer(cols);
       const Variable x = random_input({rows, cols}, 1);
       return module_bits(layer, x, [&] { return layer.forward(x); });
     }},
    {"dropout", "", dropout_bits},
    {"embedding", "", embedding_bits},
    {"multi_head_attention", "", attention_bits},
    {"encoder", "", encoder_bits},
    {"classifier", "",
     [](Index rows, Index cols) {
       TransformerClassifier model(config_for(cols), 1);
       return classifier_bits(model, rows);
     }},
    {"classifier", "",
     [](Index rows, Index cols) {
       TransformerConfig config = config_for(cols);
       config.positions = "sinusoidal";
       TransformerClassifier model(config, 1);
       return classifier_bits(model, rows);
     }},
    {"init", "xavier_uniform kaiming_uniform normal_init sinusoidal_positions", initial_bits}};

/// Policies and estimators that differ in what they compute.
std::vector<BudgetConfig> policies() {
  std::vector<BudgetConfig> configs(5);
  configs[0].weighting = Weighting::relevance;
  configs[1].estimator = Estimator::relaxed, configs[1].pool = Pool::mean;
  configs[2].estimator = Estimator::paper, configs[2].pool = Pool::max;
  configs[3].policy = Policy::fixed_budget, configs[3].fixed_budget = 0.5;
  configs[4].policy = Policy::random_gate;
  return configs;
}

/// One layer with each policy: while gates scale all heads, and with the selected heads alone; in
/// evaluation as well, where the value outside the tape is that of the selected heads.
Bits adaptive_bits(Index rows, Index cols, const BudgetConfig& config, bool sparse, bool training) {
  RandomSource random(1);
  AdaptiveMultiHeadAttention layer(config_for(cols), config, random);
  disturb(layer, 3, 0.1);
  PolicyState state = middle_state();
  state.noise = 1, state.sparse = sparse;
  layer.set_state(state);
  layer.train(training);
  Bits bits = sequence_bits(rows, cols, layer, random, [&](const Variable& x, const Segments& s) {
    return layer.forward(x, s);
  });
  bits.add("the selection", layer.selection().mask);
  bits.add("the budgets", layer.selection().budgets);
  return bits;
}

ThreadTable adaptive() {
  ThreadTable table;
  for (const BudgetConfig& config : policies()) {
    for (const auto& [sparse, training] : {std::pair{false, true}, {true, true}, {false, false}}) {
      table.push_back({"adaptive_attention", "",
                       [config, sparse = sparse, training = training](Index rows, Index cols) {
                         return adaptive_bits(rows, cols, config, sparse, training);
                       }});
    }
  }
  return table;
}

/// The parts of the policy, on [sequences, pooled] and 5 heads.
Bits selection_bits(Index rows, Index cols, const BudgetConfig& config) {
  RandomSource random(1);
  BudgetController controller(cols, 4 * other(cols), random);
  HeadGate gate(cols, 5, random);
  disturb(controller, 3, 0.1);
  disturb(gate, 4, 0.1);
  const Variable z = random_input({rows, cols}, 1);
  std::vector<std::pair<std::string, Variable>> leaves{{"z", z}};
  for (Module* module : std::initializer_list<Module*>{&controller, &gate}) {
    for (const NamedParameter& p : module->named_parameters()) {
      leaves.emplace_back(p.name, *p.variable);
    }
  }
  const auto gates = [&] {
    const Variable u = gate.forward(z),
                   s = explore_budgets(controller.forward(z).logits, 0.5, {7, 8});
    return make_gates(u, add_noise(u, 0.5, {5, 6}), s, config, Real(0.7));
  };
  Bits bits = operation_bits([&] { return gates().gate; }, leaves);
  bits.add("the selection", gates().selection.mask);
  bits.add("the counts", gates().selection.counts);
  return bits;
}

Bits pool_bits(Index rows, Index cols, Pool kind) {
  SequencePool pool(cols, kind);
  RandomSource none(1);
  return sequence_bits(rows, cols, pool, none,
                       [&](const Variable& x, const Segments& s) { return pool.forward(x, s); });
}

Bits dispatch_bits(Index rows, Index cols) {
  constexpr Index heads = 5;
  const Segments segments(odd_lengths(rows));
  const Index d = cols / 17 + 1;
  RandomSource random(1);
  Linear qkv(cols, 3 * heads * d, random), out(heads * d, cols, random);
  std::vector<unsigned> masks;
  for (Index b = 0; b < segments.count(); ++b) masks.push_back(1 + unsigned(b * 11 % 31));
  const HeadSelection selection = selection_of(masks, heads);
  const Variable x = random_input({rows, cols}, 1), gates(selection.mask, true);
  std::vector<std::pair<std::string, Variable>> leaves{{"x", x}, {"the gates", gates}};
  for (Linear* layer : {&qkv, &out}) {
    disturb(*layer, 3, 0.1);
    leaves.emplace_back("a weight", layer->weight());
    leaves.emplace_back("a bias", layer->bias());
  }
  return operation_bits([&] { return dispatch_heads(x, segments, selection, gates, qkv, out); },
                        leaves);
}

/// The whole model at three moments of its training: dense, with gates, with selected heads alone.
Bits model_bits(Index rows, Index cols, BudgetConfig config, double progress) {
  config.sparse_after = 0.8, config.jitter = 0.2;
  BudgetFormerClassifier model(config_for(cols), config, 1);
  model.set_progress(progress);
  return classifier_bits(model, rows, [&] { return model.policy_loss(); });
}

ThreadTable policy_parts() {
  ThreadTable table{{"head_dispatch", "dispatch_heads", dispatch_bits}};
  for (const BudgetConfig& config : policies()) {
    const auto run = [config](Index r, Index c) { return selection_bits(r, c, config); };
    table.push_back({"head_selection", "add_noise relevance_weights", run});
    table.push_back({"sequence_pool", "",
                     [pool = config.pool](Index r, Index c) { return pool_bits(r, c, pool); }});
  }
  table.push_back({"controller", "explore_budgets", table[1].run});
  table.push_back({"head_gate", "", table[1].run});
  const auto drive_model = [&table](const BudgetConfig& config, double progress) {
    table.push_back({"model", "", [=](Index rows, Index cols) {
                       return model_bits(rows, cols, config, progress);
                     }});
  };
  for (const double progress : {0.1, 0.9}) drive_model(policies()[0], progress);
  for (const BudgetConfig& config : policies()) drive_model(config, 0.6);
  return table;
}

}  // namespace

TEST_CASE("threads_layers: layers have the same bits on 1, 2, 3 and 8 threads") {
  CHECK(table_fault(layers, odd_layers) == "");
}

TEST_CASE(
    "threads_layers: attention that chooses its heads has the same bits, and the same heads") {
  CHECK(table_fault(adaptive(), odd_layers) == "");
}

TEST_CASE("threads_layers: the policy's parts and the model have the same bits") {
  CHECK(table_fault(policy_parts(), odd_layers) == "");
}

TEST_CASE("threads_layers: no unit is forgotten") {
  CHECK(missing_in(layers,
                   {{"atomic_file", "no numbers"},
                    {"module", "registers parameters"},
                    {"json_text", "no numbers"},
                    {"safetensors", "no numbers"}},
                   "nn", BF_NN_UNITS) == "");
  ThreadTable table = adaptive(), more = policy_parts();
  table.insert(table.end(), more.begin(), more.end());
  CHECK(missing_in(table,
                   {{"config", "no numbers"},
                    {"cost_model", "counts"},
                    {"schedule", "a formula"},
                    {"statistics", "counts on the thread that calls it"}},
                   "budgetformer", BF_BUDGETFORMER_UNITS) == "");
}
