#pragma once

#include "train/predict.h"

namespace bf {

/// One head that ran: what each token read. probabilities [n, n], rows sum to 1.
struct HeadTrace {
  Index head = 0;
  Tensor probabilities;
};

/// A text on its way through a trained model.
struct TextTrace {
  Prediction prediction;
  std::vector<std::string> tokens;             ///< n of them
  std::vector<std::vector<HeadTrace>> layers;  ///< the heads that ran in each layer, ascending
};

/// Reads the text as predict() does, and keeps the attention of every head that ran.
TextTrace trace(TrainedModel& trained, const std::string& text, const std::string& second = "");

}  // namespace bf
