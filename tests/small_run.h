#pragma once

#include "experiments/model_options.h"

namespace bf {

/// 120 easy generated texts and a model that takes a second.
inline RunOptions small_run() {
  RunOptions run;
  run.data.name = "synthetic";
  run.data.rows = 120;
  run.data.difficulty = "easy";
  run.model.transformer.dim = 16;
  run.model.transformer.layers = 2;
  run.model.transformer.heads = 4;
  run.training.epochs = 2;
  run.training.learning_rate.peak = 3e-3;
  run.tokenizer.min_count = 1;
  run.tokenizer.max_length = 64;
  run.threads = 2;
  run.resolve();
  return run;
}

}  // namespace bf
