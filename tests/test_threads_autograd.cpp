#include <doctest/doctest.h>

#include "autograd/add.h"
#include "autograd/concat.h"
#include "autograd/cross_entropy.h"
#include "autograd/dropout.h"
#include "autograd/embedding.h"
#include "autograd/entropy.h"
#include "autograd/feed_forward.h"
#include "autograd/gelu.h"
#include "autograd/gradcheck.h"
#include "autograd/head_scale.h"
#include "autograd/layer_norm.h"
#include "autograd/linear.h"
#include "autograd/log_softmax.h"
#include "autograd/matmul.h"
#include "autograd/multiply.h"
#include "autograd/relu.h"
#include "autograd/reshape.h"
#include "autograd/scale.h"
#include "autograd/segment_max.h"
#include "autograd/segment_mean.h"
#include "autograd/self_attention.h"
#include "autograd/sigmoid.h"
#include "autograd/slice.h"
#include "autograd/soft_topk.h"
#include "autograd/softmax.h"
#include "autograd/straight_through.h"
#include "autograd/sum.h"
#include "tests/same_bits.h"
#include "tests/units.h"

using namespace bf;

namespace {

using Inputs = std::vector<Variable>;

/// An operation of one variable [rows, cols].
ThreadCase of_one(const std::string& unit, Variable (*f)(const Variable&)) {
  return {unit, unit, [f](Index rows, Index cols) {
            return operation_bits([f](const Inputs& in) { return f(in[0]); },
                                  {random_input({rows, cols}, 1)});
          }};
}

/// An operation of one variable at a temperature.
ThreadCase of_rows(const std::string& unit, Variable (*f)(const Variable&, Real)) {
  return {unit, unit, [f](Index rows, Index cols) {
            return operation_bits([f](const Inputs& in) { return f(in[0], Real(0.7)); },
                                  {random_input({rows, cols}, 1)});
          }};
}

/// An operation of one variable whose rows are packed sequences.
ThreadCase of_sequences(const std::string& unit,
                        Variable (*f)(const Variable&, const Segments& segments)) {
  return {unit, unit, [f](Index rows, Index cols) {
            const Segments segments(odd_lengths(rows));
            return operation_bits([&](const Inputs& in) { return f(in[0], segments); },
                                  {random_input({rows, cols}, 1)});
          }};
}

Ids scattered(Index count, Index range) {
  std::vector<Id> ids;
  for (Index i = 0; i < count; ++i) ids.push_back(static_cast<Id>(i * i * 7 % range));
  return Ids(ids);
}

/// Columns of a second matrix beside one of `cols` columns.
Index other(Index cols) { return cols / 3 + 2; }

Bits concat_bits(Index rows, Index cols, bool below) {
  const Inputs parts{
      random_input({rows, cols}, 1),
      below ? random_input({other(rows), cols}, 2) : random_input({rows, other(cols)}, 2),
      random_input({rows, cols}, 3)};
  return operation_bits(
      [below](const Inputs& in) { return below ? concat_rows(in) : concat_cols(in); }, parts);
}

Bits add_bits(Index rows, Index cols, const Shape& second) {
  return operation_bits([](const Inputs& in) { return add(in[0], in[1]); },
                        {random_input({rows, cols}, 1), random_input(second, 2)});
}

Bits linear_bits(Index rows, Index cols, bool with_bias) {
  Inputs inputs{random_input({rows, cols}, 1), random_input({other(cols), cols}, 2)};
  if (with_bias) inputs.push_back(random_input({other(cols)}, 3));
  return operation_bits(
      [](const Inputs& in) { return linear(in[0], in[1], in.size() > 2 ? in[2] : Variable()); },
      inputs);
}

Bits self_attention_bits(Index tokens, Index cols) {
  const Segments segments(odd_lengths(tokens));
  const Index heads = cols < 17 ? 1 : 3, d = cols / 17 + 1;
  return operation_bits([&](const Inputs& in) { return self_attention(in[0], segments, heads); },
                        {random_input({tokens, heads * 3 * d}, 1)});
}

Bits head_scale_bits(Index tokens, Index heads) {
  const Segments segments(odd_lengths(tokens));
  return operation_bits(
      [&](const Inputs& in) { return head_scale(in[0], in[1], segments); },
      {random_input({tokens, 3 * heads}, 1), random_input({segments.count(), heads}, 2)});
}

Bits soft_topk_bits(Index rows, Index heads) {
  const Variable budget(uniform_tensor({rows}, 0, static_cast<Real>(heads), {1, 2}), true);
  return operation_bits([](const Inputs& in) { return soft_topk(in[0], in[1], Real(0.7)); },
                        {random_input({rows, heads}, 1), budget});
}

/// Products, normalisation and whole layers.
ThreadTable products() {
  return {
      {"matmul", "matmul",
       [](Index rows, Index cols) {
         return operation_bits(
             [](const Inputs& in) { return matmul(in[0], in[1]); },
             {random_input({rows, cols}, 1), random_input({cols, other(cols)}, 2)});
       }},
      {"linear", "linear", [](Index r, Index c) { return linear_bits(r, c, true); }},
      {"linear", "linear", [](Index r, Index c) { return linear_bits(r, c, false); }},
      {"feed_forward", "feed_forward",
       [](Index rows, Index cols) {
         const Index hidden = other(cols);
         return operation_bits(
             [](const Inputs& in) { return feed_forward(in[0], in[1], in[2], in[3], in[4]); },
             {random_input({rows, cols}, 1), random_input({hidden, cols}, 2),
              random_input({hidden}, 3), random_input({cols, hidden}, 4), random_input({cols}, 5)});
       }},
      {"layer_norm", "layer_norm",
       [](Index rows, Index cols) {
         return operation_bits(
             [](const Inputs& in) { return layer_norm(in[0], in[1], in[2]); },
             {random_input({rows, cols}, 1), random_input({cols}, 2), random_input({cols}, 3)});
       }},
      {"self_attention", "self_attention", self_attention_bits},
      {"head_scale", "head_scale", head_scale_bits},
      {"soft_topk", "soft_topk", soft_topk_bits},
      {"embedding", "embedding",
       [](Index rows, Index cols) {
         const Ids ids = scattered(rows, other(rows));
         return operation_bits([&](const Inputs& in) { return embedding(in[0], ids); },
                               {random_input({other(rows), cols}, 1)});
       }},
      {"cross_entropy", "cross_entropy",
       [](Index rows, Index cols) {
         const Ids targets = scattered(rows, cols);
         return operation_bits([&](const Inputs& in) { return cross_entropy(in[0], targets, 0.1); },
                               {random_input({rows, cols}, 1)});
       }},
  };
}

/// What moves, cuts and joins values.
ThreadTable rearrangements() {
  return {
      {"add", "add",
       [](Index r, Index c) {
         return add_bits(r, c, {r, c});
       }},
      {"add", "add", [](Index r, Index c) { return add_bits(r, c, {c}); }},
      {"multiply", "multiply",
       [](Index rows, Index cols) {
         return operation_bits([](const Inputs& in) { return multiply(in[0], in[1]); },
                               {random_input({rows, cols}, 1), random_input({rows, cols}, 2)});
       }},
      {"scale", "scale",
       [](Index rows, Index cols) {
         return operation_bits([](const Inputs& in) { return scale(in[0], Real(0.3), 2); },
                               {random_input({rows, cols}, 1)});
       }},
      {"concat", "concat_cols", [](Index r, Index c) { return concat_bits(r, c, false); }},
      {"concat", "concat_rows", [](Index r, Index c) { return concat_bits(r, c, true); }},
      {"slice", "slice_rows",
       [](Index rows, Index cols) {
         return operation_bits(
             [&](const Inputs& in) { return slice_rows(in[0], rows / 3, rows - rows / 3); },
             {random_input({rows, cols}, 1)});
       }},
      {"slice", "slice_cols",
       [](Index rows, Index cols) {
         return operation_bits(
             [&](const Inputs& in) { return slice_cols(in[0], cols / 3, cols - cols / 3); },
             {random_input({rows, cols}, 1)});
       }},
      {"reshape", "reshape",
       [](Index rows, Index cols) {
         return operation_bits(
             [&](const Inputs& in) {
               return reshape(in[0], {cols, rows});
             },
             {random_input({rows, cols}, 1)});
       }},
      {"straight_through", "straight_through",
       [](Index rows, Index cols) {
         const Tensor hard = seeded_tensor({rows, cols}, 2);
         return operation_bits([&](const Inputs& in) { return straight_through(hard, in[0]); },
                               {random_input({rows, cols}, 1)});
       }},
      {"dropout", "dropout",
       [](Index rows, Index cols) {
         return operation_bits(
             [](const Inputs& in) {
               return dropout(in[0], 0.3, {3, 4});
             },
             {random_input({rows, cols}, 1)});
       }},
      {"dropout", "residual_dropout",
       [](Index rows, Index cols) {
         return operation_bits(
             [](const Inputs& in) {
               return residual_dropout(in[0], in[1], 0.3, {3, 4});
             },
             {random_input({rows, cols}, 1), random_input({rows, cols}, 2)});
       }},
  };
}

ThreadTable value_by_value() {
  return {of_one("gelu", gelu),
          of_one("relu", relu),
          of_one("sigmoid", sigmoid),
          of_one("log_softmax", log_softmax),
          of_one("sum", sum),
          {"sum", "mean", of_one("", mean).run},
          {"log_softmax", "log_softmax_rows",
           [](Index rows, Index cols) {
             Bits bits;
             bits.add("the value", log_softmax_rows(seeded_tensor({rows, cols}, 1), Real(0.7)));
             return bits;
           }},
          of_rows("softmax", softmax),
          of_rows("entropy", entropy),
          of_sequences("segment_max", segment_max),
          of_sequences("segment_mean", segment_mean)};
}

const ThreadExemptions exempt{{"gradcheck", "compares operations"},
                              {"tape", "calls the backward of operations"}};

}  // namespace

TEST_CASE("threads_autograd: value and gradients have the same bits on 1, 2, 3 and 8 threads") {
  CHECK(table_fault(products()) == "");
  CHECK(table_fault(rearrangements()) == "");
  CHECK(table_fault(value_by_value()) == "");
}

TEST_CASE("threads_autograd: adding to a gradient twice has the same bits, too") {
  // variable.cpp: what arrives second is added to what arrived first.
  CHECK(table_fault({{"variable", "", [](Index rows, Index cols) {
                        return operation_bits(
                            [](const Inputs& in) { return add(scale(in[0], 2), gelu(in[0])); },
                            {random_input({rows, cols}, 1)});
                      }}}) == "");
}

TEST_CASE("threads_autograd: no operation is forgotten") {
  ThreadTable table = products();
  for (const ThreadTable& more : {rearrangements(), value_by_value()}) {
    table.insert(table.end(), more.begin(), more.end());
  }
  table.push_back({"variable", "the case above", {}});
  CHECK(missing_in(table, exempt, "autograd", BF_AUTOGRAD_UNITS) == "");
}
