#pragma once

#include "nn/module.h"
#include "tensor/ids.h"
#include "tensor/random.h"

namespace bf {

/// A table of vectors, one for each id.
/// Shapes: ids [tokens], y [tokens, D]. Parameter: weight [rows, D], N(0, deviation^2).
class Embedding : public Module {
 public:
  Embedding(Index rows, Index dim, double deviation, RandomSource& random,
            ParameterOptions options = {});
  Variable forward(const Ids& ids) const;
  const Variable& weight() const { return weight_; }

 private:
  Variable& weight_;
};

}  // namespace bf
