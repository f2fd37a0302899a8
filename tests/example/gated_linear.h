#pragma once

#include "nn/linear.h"
#include "tests/example/softplus.h"

#include "autograd/multiply.h"

/// y = (W x + b) softplus(V x + c), element by element.
/// Shapes: x [rows, in], y [rows, out]. Parameters: value.*, gate.* as in Linear.
class GatedLinear : public bf::Module {
 public:
  GatedLinear(bf::Index in, bf::Index out, bf::RandomSource& random)
      : value_(add_module<bf::Linear>("value", in, out, random)),
        gate_(add_module<bf::Linear>("gate", in, out, random)) {}

  bf::Variable forward(const bf::Variable& x) const {
    return bf::multiply(value_.forward(x), softplus(gate_.forward(x)));
  }

 private:
  bf::Linear& value_;
  bf::Linear& gate_;
};
