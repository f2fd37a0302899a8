#include "train/tokenized_data.h"

#include <algorithm>
#include <utility>

#include "tensor/parallel.h"
#include "tensor/require.h"

namespace bf {

TokenizedSplit tokenize(const Tokenizer& tokenizer, const std::vector<Example>& examples,
                        Index max_length) {
  // What encode() refuses is refused here, in order: of bodies that throw, any may be the first.
  require(max_length > 0, "tokenize: max_length must be at least 1");
  for (const Example& example : examples) {
    require(example.second.empty() || max_length >= 3,
            "tokenize: pairs of sentences need a max_length of at least 3, got ", max_length);
  }
  TokenizedSplit split;
  split.tokens.resize(examples.size());
  split.labels.resize(examples.size());
  parallel_for(examples.size(), 64, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      split.tokens[i] = tokenizer.encode(examples[i].text, examples[i].second, max_length);
      split.labels[i] = examples[i].label;
    }
  });
  const auto known = [](const Example& example) {
    return example.difficulty >= 0 && example.kind >= 0;
  };
  if (!std::all_of(examples.begin(), examples.end(), known)) return split;
  for (const Example& example : examples) {
    split.difficulties.push_back(example.difficulty);
    split.kinds.push_back(example.kind);
  }
  return split;
}

TokenizedData tokenize(const Dataset& data, const TokenizerConfig& config) {
  return tokenize(data,
                  build_tokenizer(config.name, data.train, config.vocabulary, config.min_count),
                  config.max_length);
}

TokenizedData tokenize(const Dataset& data, std::unique_ptr<Tokenizer> tokenizer,
                       Index max_length) {
  TokenizedData result{data.name, data.class_names, std::move(tokenizer), {}, {}, {}};
  result.train = tokenize(*result.tokenizer, data.train, max_length);
  result.validation = tokenize(*result.tokenizer, data.validation, max_length);
  result.test = tokenize(*result.tokenizer, data.test, max_length);
  return result;
}

}  // namespace bf
