#include "experiments/model_options.h"

#include <nlohmann/json.hpp>
#include <thread>

#include "tensor/parallel.h"
#include "tensor/require.h"

namespace bf {
namespace {

constexpr Index most_threads = 1024;

void check_model(const TransformerConfig& model) {
  if (model.width == 0 && model.dim % model.heads != 0) {
    throw UsageError(
        join_parts("--dim: ", model.dim, " is not divisible by --heads ", model.heads));
  }
}

}  // namespace

// The defaults of every experiment.
RunOptions::RunOptions() {
  model.transformer.dim = 128;
  model.transformer.layers = 2;
  model.transformer.heads = 8;
  model.transformer.dropout = 0.3;
  training.epochs = 3;
  training.batch = 32;
  training.learning_rate = {.peak = 1e-3, .warmup = 0.05, .decay = "linear", .floor = 0};
  training.adamw.weight_decay = 0.01;
  training.clip = 1;
  estimator = to_string(model.budget.estimator);
  weighting = to_string(model.budget.weighting);
  pool = to_string(model.budget.pool);
}

void RunOptions::resolve() {
  check_model(model.transformer);
  if (resume && out.empty()) throw UsageError("--resume: needs --out, the folder to go on in");
  if (training.accumulate > training.batch) {
    throw UsageError(join_parts("--accumulate: expected at most --batch ", training.batch, ", got ",
                                training.accumulate));
  }
  model.transformer.max_length = tokenizer.max_length;
  model.budget.estimator = parse_estimator(estimator);
  model.budget.weighting = parse_weighting(weighting);
  model.budget.pool = parse_pool(pool);
  if (model.budget.budget_min > model.budget.budget_max) {
    throw UsageError(join_parts("--budget-min: ", model.budget.budget_min,
                                " is above --budget-max ", model.budget.budget_max));
  }
  model.seed = seed;
  training.seed = seed;
  try {
    model.budget.check();
  } catch (const std::invalid_argument& error) {  // names the option without its dashes
    throw UsageError(std::string("--") + error.what());
  }
  set_energy_config(energy);
  use_threads(threads);
}

ModelConfig RunOptions::model_for(const TokenizedData& tokenized) const {
  ModelConfig config = model;
  config.transformer.vocabulary = tokenized.tokenizer->vocabulary_size();
  config.transformer.classes = tokenized.class_names.size();
  return config;
}

void add_model_options(OptionList& options, RunOptions& run) {
  TransformerConfig& model = run.model.transformer;
  add_count(options, "dim", model.dim, "D, width of the model", 1, 1000000);
  add_count(options, "layers", model.layers, "encoder layers", 1, 1000);
  add_count(options, "heads", model.heads, "H, attention heads of a layer", 1, 10000);
  add_count(options, "head-width", model.width, "columns of one head; 0 = dim / heads", 0, 1000000);
  add_count(options, "ffn", model.ffn, "hidden width of the feed-forward network; 0 = 4 dim", 0,
            10000000);
  add_number(options, "dropout", model.dropout, "dropout rate", 0, 0.99);
  add_choice(options, "positions", model.positions, "position embedding",
             {"learned", "sinusoidal"});
  TokenizerConfig& tokenizer = run.tokenizer;
  add_choice(options, "tokenizer", tokenizer.name, "how texts are cut up", tokenizer_names());
  add_count(options, "vocab-size", tokenizer.vocabulary, "largest size of the vocabulary", 4,
            1000000);
  add_count(options, "min-count", tokenizer.min_count, "a word seen less often is unknown", 1);
  add_count(options, "max-len", tokenizer.max_length, "tokens of a text; the rest is cut off", 3,
            longest_text);
}

void add_training_options(OptionList& options, RunOptions& run) {
  TrainingConfig& training = run.training;
  LearningRateConfig& rate = training.learning_rate;
  add_count(options, "epochs", training.epochs, "passes over the training rows", 1, 20000);
  add_count(options, "max-steps", training.max_steps, "at most this many updates; 0 = no limit");
  add_count(options, "batch", training.batch, "texts of one update", 1, 10000000);
  add_count(options, "accumulate", training.accumulate,
            "passes at least that an update is split into: less memory, the same gradient", 1);
  add_count(options, "pass-tokens", training.pass_tokens,
            "about the most tokens that a pass has, unless one text has more", 1);
  add_number(options, "lr", rate.peak, "highest learning rate", 0);
  add_number(options, "warmup", rate.warmup, "of all updates if below 1, else a number of them", 0);
  add_choice(options, "lr-decay", rate.decay, "fall of the learning rate",
             {"linear", "cosine", "constant"});
  add_number(options, "lr-floor", rate.floor, "last learning rate as a fraction of --lr", 0, 1);
  add_number(options, "weight-decay", training.adamw.weight_decay, "decoupled weight decay", 0);
  add_number(options, "clip", training.clip, "largest norm of the gradient; 0 = no clipping", 0);
  add_number(options, "label-smoothing", training.label_smoothing,
             "part of the target spread over all classes", 0, 0.99);
  add_count(options, "patience", training.patience,
            "stop after so many epochs without a better one; 0 = never");
  add_choice(options, "on-nonfinite", training.on_nonfinite,
             "an update whose loss or gradient is not finite stops the run or is skipped, at most "
             "10 in a row and 10 or 1 % in all",
             {"stop", "skip"});
  add_threads_option(options, run.threads);
  add_energy_options(options, run.energy);
  add_count(options, "log-every", run.log_every, "updates between two lines of the log", 1);
  add_text(options, "out", run.out, "folder for the results; must not hold a run yet");
  add_flag(options, "json", run.json, "one JSON object on stdout instead of the table");
}

void add_resume_options(OptionList& options, RunOptions& run) {
  add_flag(options, "resume", run.resume,
           "go on with the run in --out where it was interrupted; begin it if there is none");
  add_count(options, "checkpoint-every", run.checkpoint_every,
            "updates between two checkpoints, besides those at the end of each epoch; 0 = none");
}

void add_budget_options(OptionList& options, RunOptions& run) {
  BudgetConfig& budget = run.model.budget;
  add_choice(options, "estimator", run.estimator, "gradient through the selection",
             {"straight_through", "relaxed", "paper"});
  add_choice(options, "weighting", run.weighting, "what a selected head counts",
             {"none", "relevance"});
  add_choice(options, "controller-pool", run.pool, "what the controller sees of a text",
             {"mean", "max", "meanmax"});
  add_number(options, "controller-lr", budget.controller_rate,
             "multiplier of the learning rate of controller and gate", 0);
  add_number(options, "fixed-budget", budget.fixed_budget, "s of --attention fixed", 0, 1, true);
  add_number(options, "budget-min", budget.budget_min, "s_min of the hinge", 0, 1);
  add_number(options, "budget-max", budget.budget_max, "s_max of the hinge", 0, 1);
  add_number(options, "hinge", budget.hinge, "weight of the hinge", 0);
  add_number(options, "logit-penalty", budget.logit_penalty,
             "lambda_z, on controller logits beyond +-4: a saturated budget cannot move", 0);
  add_number(options, "head-price", budget.head_price, "lambda_c, the price of s", 0);
  add_number(options, "entropy", budget.entropy, "beta: spread the relevance, later commit", 0);
  add_number(options, "tau-start", budget.tau_start, "temperature at the start", 0, 1e6, true);
  add_number(options, "tau-end", budget.tau_end, "temperature at the end", 0, 1e6, true);
  add_number(options, "noise", budget.noise, "Gumbel noise at the start", 0);
  add_number(options, "budget-noise", budget.budget_noise,
             "logistic noise on the controller's logits, as a factor of the noise", 0);
  add_number(options, "dense", budget.dense, "part of the training in which all heads run", 0,
             0.99);
  add_number(options, "price-ramp", budget.price_ramp,
             "part of the rest over which the price rises", 0, 1);
  add_number(options, "explore", budget.explore,
             "part of the rest over which temperature and noise fall", 0, 1, true);
  add_number(
      options, "budget-jitter", budget.jitter,
      "part of the texts of an update that get a random budget, so that the model stays good "
      "at every budget",
      0, 1);
  add_number(options, "sparse-after", budget.sparse_after,
             "part of the training after which only the selected heads are computed; 1 = never", 0,
             1);
}

nlohmann::json options_json(const OptionValues& values) {
  nlohmann::json options;
  for (const auto& [name, value] : values) {
    if (const auto* text = boost::any_cast<std::string>(&value.value())) options[name] = *text;
    if (const auto* flag = boost::any_cast<bool>(&value.value())) options[name] = *flag;
  }
  return options;
}

void add_energy_options(OptionList& options, EnergyConfig& energy) {
  add_number(options, "watts-per-core", energy.watts_per_core,
             "watts of a busy core where the processor's energy counters (RAPL) cannot be read: an "
             "assumption, about the rated power of a server processor by its cores",
             0, 1000, true);
  add_number(options, "grid-gco2", energy.grid_gco2_per_kwh,
             "grams of CO2 per kWh; 475 is the world's electricity in 2018 (International Energy "
             "Agency)",
             0, 1e5);
}

void add_threads_option(OptionList& options, Index& threads) {
  add_count(options, "threads", threads, "0 = one per processor; no result depends on it", 0,
            most_threads);
}

void use_threads(Index threads) {
  const Index processors = std::thread::hardware_concurrency();
  set_threads(threads > 0 ? threads : processors > 0 ? processors : 1);
}

}  // namespace bf
