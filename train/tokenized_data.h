#pragma once

#include <memory>

#include "train/batches.h"
#include "train/tokenizer.h"

namespace bf {

/// Examples as token ids, at most `max_length` of each, with their difficulties and kinds where all
/// of them have some. On all threads.
TokenizedSplit tokenize(const Tokenizer& tokenizer, const std::vector<Example>& examples,
                        Index max_length);

/// How texts become ids.
struct TokenizerConfig {
  std::string name = "word";  ///< one of tokenizer_names()
  Index vocabulary = 20000;   ///< largest number of entries
  Index min_count = 2;        ///< a rarer token is [UNK]
  Index max_length = 256;     ///< tokens of a text; the rest is cut off
};

/// A data set ready for training. The vocabulary comes from the training rows alone.
struct TokenizedData {
  std::string name;
  std::vector<std::string> class_names;
  std::unique_ptr<Tokenizer> tokenizer;
  TokenizedSplit train, validation, test;
};

/// Throws std::invalid_argument as build_tokenizer() and encode() do.
TokenizedData tokenize(const Dataset& data, const TokenizerConfig& config);
/// The same with a tokenizer that exists.
TokenizedData tokenize(const Dataset& data, std::unique_ptr<Tokenizer> tokenizer, Index max_length);

}  // namespace bf
