#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "nn/safetensors.h"
#include "train/loop.h"

namespace bf {

struct TrainingResult {
  std::vector<EpochReport> epochs;  ///< validations without text, class and layer
  Index best_epoch = 0;
  Index steps = 0;
  double seconds = 0;  ///< of all updates, without validation
  Energy energy;       ///< of the epochs
  Index skipped = 0;   ///< updates that were not made because loss or gradient was not finite
  /// Trainable parameters that the last update had no gradient for.
  std::vector<std::string> without_gradient;
};

/// Everything that a run is between two updates. Schedules, the order of the rows and the random
/// streams are functions of the seed and the step, the choice of the best epoch one of `epochs`.
struct TrainingState {
  TrainerState trainer;
  Energy epoch_energy;  ///< spent so far on the epoch under way, in all processes that worked on it
  std::vector<EpochReport> epochs;  ///< those that are complete, as in TrainingResult
  std::vector<std::string> without_gradient;
  std::uint64_t optimizer_steps = 0;
  NamedTensors weights, first_moments, second_moments;  ///< by names of parameters
  NamedTensors best_weights;                            ///< empty during the first epoch
};

/// What fit() tells and asks while it runs; each may be empty.
struct TrainingEvents {
  std::function<void(const StepReport&, Index total_steps)> step;
  std::function<void(const EpochReport&)> epoch;
  /// Is called at the end of each epoch, after `epoch`, and after every `save_every` updates (0 =
  /// never). The state shares its tensors with the run: they are to be written at once.
  std::function<void(const TrainingState&)> save;
  Index save_every = 0;
  /// Is asked after each update and each epoch. If true, fit() saves and throws TrainingStopped.
  std::function<bool()> stop;
};

/// Says at which step a run was stopped.
struct TrainingStopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Trains, validates after each epoch, and leaves the model with the weights of the best epoch by
/// validation accuracy (BestEpoch). The test split is not seen here. With `from`, a state that an
/// equal run saved, it goes on from there and ends with the same bits as that run. Throws
/// std::runtime_error when that state is not one of this model, and NonFinite as Trainer::step()
/// and evaluate() do, and before a state is saved that holds a weight or moment that is not finite:
/// every saved state is good to go on from.
TrainingResult fit(Model& model, const TokenizedSplit& train, const TokenizedSplit& validation,
                   const TrainingConfig& config, const TrainingEvents& events = {},
                   const TrainingState* from = nullptr);

}  // namespace bf
