#include "budgetformer/head_dispatch.h"

#include <algorithm>
#include <vector>

#include "autograd/elementwise.h"
#include "tensor/attention.h"
#include "tensor/gemm.h"
#include "tensor/kernels.h"
#include "tensor/profile.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// Rows at which a product on d columns runs at nearly full speed, few enough for several tasks.
constexpr Index rows_per_task = 256;

/// Some sequences that chose one head, gathered below one another.
struct Task {
  Index head;
  std::vector<Index> sequences;
  Index first_row;  ///< of its rows in the buffer of all results
  Index rows;
};

/// The tasks of all heads, and where the result of each (sequence, head) begins in the buffer.
struct Plan {
  std::vector<Task> tasks;
  std::vector<Index> row_of;  ///< [B * H]
  Index rows = 0;
};

Plan make_plan(const Segments& segments, const HeadSelection& selection) {
  const Index heads = selection.heads;
  Plan plan;
  plan.row_of.assign(segments.count() * heads, 0);
  for (Index h = 0; h < heads; ++h) {
    bool open = false;
    for (Index b = 0; b < segments.count(); ++b) {
      if (!selection.runs(b, h)) continue;
      if (!open || plan.tasks.back().rows >= rows_per_task) {
        plan.tasks.push_back({h, {}, plan.rows, 0});
        open = true;
      }
      Task& task = plan.tasks.back();
      task.sequences.push_back(b);
      task.rows += segments.length(b);
      plan.row_of[b * heads + h] = plan.rows;
      plan.rows += segments.length(b);
    }
  }
  return plan;
}

/// The arguments of dispatch_heads with the extents that follow from them.
struct Layer {
  const Tensor& x;
  const Segments& segments;
  const Tensor& weights;
  const Linear& qkv;
  const Linear& out;
  Index heads, dim, width;
};

/// Rows of the task's sequences; a view of x where they already follow one another.
Tensor gather(const Layer& layer, const Task& task) {
  const Index first = layer.segments.begin(task.sequences.front());
  if (layer.segments.end(task.sequences.back()) - first == task.rows) {
    return layer.x.rows(first, task.rows);
  }
  Tensor rows({task.rows, layer.dim});
  Real* to = rows.data();
  for (const Index b : task.sequences) {
    const Real* from = layer.x.row(layer.segments.begin(b));
    to = std::copy_n(from, layer.segments.length(b) * layer.dim, to);
  }
  return rows;
}

/// One head for the sequences of a task: q, k, v, attention, and the head's part of the output.
void run_task(const Layer& layer, const Task& task, Tensor& results) {
  const Index d = layer.width, slice = 3 * d, h = task.head;
  const Tensor rows = gather(layer, task);  // [rows, D]
  Tensor qkv({task.rows, slice});           // [rows, 3 d]
  const ConstMatrix weight(layer.qkv.weight().value().row(h * slice), slice, layer.dim, layer.dim);
  gemm_serial(1, rows, weight.t(), 0, qkv);
  const Real* bias = layer.qkv.bias().value().data() + h * slice;
  for (Index r = 0; r < task.rows; ++r) add_row(slice, qkv.row(r), bias, qkv.row(r));

  Tensor attended({task.rows, d});  // [rows, d]
  Index row = 0;
  for (const Index b : task.sequences) {
    const Index length = layer.segments.length(b);
    const Real* q = qkv.row(row);
    attend_head({q, q + d, q + 2 * d, slice, length, d}, attended.row(row), d, nullptr, 0);
    if (layer.weights.defined()) {
      scale_row(length * d, layer.weights.row(b)[h], attended.row(row), attended.row(row));
    }
    row += length;
  }
  const ConstMatrix out_slice =
      ConstMatrix(layer.out.weight().value()).col_block(h * d, d);  // [D, d]
  gemm_serial(1, attended, out_slice.t(), 0,
              {results.row(task.first_row), task.rows, layer.dim, layer.dim});
}

}  // namespace

Tensor dispatch_heads(const Tensor& x, const Segments& segments, const HeadSelection& selection,
                      const Tensor& weights, const Linear& qkv, const Linear& out) {
  const ProfileScope scope(WorkKind::head_dispatch);
  const Index heads = selection.heads, dim = x.dim(1);
  require(selection.sequences() == segments.count() && x.dim(0) == segments.tokens(),
          "dispatch_heads: ", selection.sequences(), " selections and ", x.dim(0),
          " rows do not fit ", segments.count(), " sequences of together ", segments.tokens(),
          " tokens");
  require(!weights.defined() || weights.shape() == selection.mask.shape(),
          "dispatch_heads: weights ", weights.shape(), " do not fit the selection ",
          selection.mask.shape());
  const Layer layer{x, segments, weights, qkv, out, heads, dim, out.weight().dim(1) / heads};
  const Plan plan = make_plan(segments, selection);
  Tensor results({plan.rows, dim});
  parallel_for(plan.tasks.size(), 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) run_task(layer, plan.tasks[i], results);
  });
  Tensor y({x.dim(0), out.weight().dim(0)});
  over_rows(segments.count(), dim * segments.longest(), [&](Index b) {
    for (Index t = 0; t < segments.length(b); ++t) {
      Real* to = y.row(segments.begin(b) + t);
      std::copy_n(out.bias().value().data(), dim, to);
      for (Index h = 0; h < heads; ++h) {
        if (selection.runs(b, h)) {
          add_row(dim, results.row(plan.row_of[b * heads + h] + t), to, to);
        }
      }
    }
  });
  return y;
}

}  // namespace bf
