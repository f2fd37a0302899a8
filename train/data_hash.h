#pragma once

#include <string>

#include "nn/module.h"
#include "train/tokenized_data.h"

namespace bf {

/// 16 hexadecimal digits (FNV-1a, 64 bits) over everything a run sees of a data set: class names,
/// vocabulary, and ids and label of every training, validation and test row, in order.
std::string data_hash(const TokenizedData& data);

/// The same over the names and values of all parameters.
std::string weights_hash(Module& net);

}  // namespace bf
