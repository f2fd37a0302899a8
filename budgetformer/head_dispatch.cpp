#include "budgetformer/head_dispatch.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tensor/attention.h"
#include "tensor/kernels.h"
#include "tensor/packed_block.h"
#include "tensor/parallel.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/require.h"

// Why there is nothing to choose between gathering heads, grouping equal sets and computing all
// heads: with the weights rearranged once (PackedMatrix), a product of a head is as fast on the
// rows of one sequence as on those of many. So every (sequence, head) is computed where its rows of
// x lie; what others of the batch chose changes neither the work nor a single bit of it. All heads
// of all sequences are the dense path's, which the caller takes by looking at the selection.

namespace bf {
namespace {

/// Rows of one product: its part of A stays in the second cache.
constexpr Index tile_rows = 96;

/// One head of one sequence. Its q, k, v, attention and so on are the rows from `row` on of buffers
/// that hold every pair, by head and then by sequence.
struct Pair {
  Index sequence, head, row;
};

/// Rows of x, or of y, that lie together in the buffers too: neighbours that chose the same head
/// with the same gate, in parts of at most tile_rows.
struct Piece {
  Index head, token, row, rows;
  Real gate;
};

/// Up to tile_rows tokens of one sequence, from its token `first` on.
struct Tile {
  Index sequence, first, rows;
};

/// What runs: follows from the segments, the selection and the gates.
struct Plan {
  Segments segments;
  HeadSelection selection;
  Tensor gates;
  Index dim, width;  ///< D, d
  std::vector<Pair> pairs;
  std::vector<Piece> pieces;
  std::vector<Tile> tiles;
  std::vector<Index> row_of;     ///< [B * H], of the pairs
  std::vector<Index> head_rows;  ///< [H + 1], where the rows of a head begin

  Index heads() const { return selection.heads; }
  Index rows() const { return head_rows.back(); }
  bool head_runs(Index head) const { return head_rows[head] < head_rows[head + 1]; }
  Real gate(Index b, Index h) const { return gates.defined() ? gates.row(b)[h] : Real(1); }
  /// Whether a sequence is computed as MultiHeadAttention does: by one product over all heads.
  bool is_dense(Index b) const {
    bool dense = selection.counts[b] == heads();
    for (Index h = 0; h < heads(); ++h) dense = dense && gate(b, h) == 1;
    return dense;
  }
};

void add_piece(Plan& plan, const Pair& pair) {
  const Real gate = plan.gate(pair.sequence, pair.head);
  Index token = plan.segments.begin(pair.sequence), row = pair.row;
  const Index end = plan.segments.end(pair.sequence);
  while (token < end) {
    Piece* last = plan.pieces.empty() ? nullptr : &plan.pieces.back();
    if (last == nullptr || last->head != pair.head || last->token + last->rows != token ||
        last->gate != gate || last->rows == tile_rows) {
      plan.pieces.push_back({pair.head, token, row, 0, gate});
      last = &plan.pieces.back();
    }
    const Index rows = std::min(end - token, tile_rows - last->rows);
    last->rows += rows, token += rows, row += rows;
  }
}

Plan make_plan(const Segments& segments, const HeadSelection& selection, const Tensor& gates,
               Index dim, Index width) {
  Plan plan{segments, selection, gates, dim, width, {}, {}, {}, {}, {0}};
  plan.row_of.assign(segments.count() * plan.heads(), 0);
  Index row = 0;
  for (Index h = 0; h < plan.heads(); ++h) {
    for (Index b = 0; b < segments.count(); ++b) {
      if (!selection.runs(b, h)) continue;
      plan.pairs.push_back({b, h, row});
      plan.row_of[b * plan.heads() + h] = row;
      add_piece(plan, plan.pairs.back());
      row += segments.length(b);
    }
    plan.head_rows.push_back(row);
  }
  for (Index b = 0; b < segments.count(); ++b) {
    for (Index first = 0; first < segments.length(b); first += tile_rows) {
      plan.tiles.push_back({b, first, std::min(tile_rows, segments.length(b) - first)});
    }
  }
  return plan;
}

/// Calls body(item) on all threads, with so many items to a task that it has about tile_rows rows.
template <typename Item, typename Body>
void for_each(const std::vector<Item>& items, Index rows, Body body) {
  const Index per_task = std::max<Index>(1, tile_rows * items.size() / std::max<Index>(1, rows));
  parallel_for(items.size(), per_task, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) body(items[i]);
  });
}

Matrix rows_of(Tensor& tensor, Index first, Index count) {
  return {tensor.row(first), count, tensor.row_size(), tensor.row_size()};
}
ConstMatrix rows_of(const Tensor& tensor, Index first, Index count) {
  return {tensor.row(first), count, tensor.row_size(), tensor.row_size()};
}

using Packed = std::shared_ptr<const PackedMatrix>;

Packed pack(const ConstMatrix& b) { return std::make_shared<const PackedMatrix>(b); }

/// The transpose of a layer's weight: what the layer keeps, when its weight will not change soon.
Packed pack_transpose(const Variable& weight) {
  return recording() ? pack(ConstMatrix(weight.value()).t()) : weight.packed_transpose();
}

/// Head h's rows h k to (h + 1) k of a matrix that has all heads below one another.
std::vector<PackedBlock> head_rows(const Plan& plan, const Packed& whole, Index k) {
  std::vector<PackedBlock> blocks;
  for (Index h = 0; h < plan.heads(); ++h) {
    blocks.emplace_back(whole, h * k, k, Index{0}, whole->cols());
  }
  return blocks;
}

/// Head h's columns h n to (h + 1) n of a matrix B that has all heads side by side: of all of B
/// rearranged by `whole`, if a head begins with a panel.
template <typename Whole>
std::vector<PackedBlock> head_columns(const Plan& plan, const ConstMatrix& b, Index n,
                                      Whole whole) {
  std::vector<PackedBlock> blocks(plan.heads());
  if (n % panel_shape().cols == 0) {
    const Packed all = whole();
    for (Index h = 0; h < plan.heads(); ++h) blocks[h] = PackedBlock(all, 0, b.rows, h * n, n);
  } else {
    parallel_for(plan.heads(), 1, [&](Index h, Index) {
      if (plan.head_runs(h)) blocks[h] = PackedBlock(b.col_block(h * n, n));
    });
  }
  return blocks;
}

/// to = start
void write_start(Start start, const Matrix& to) {
  for (Index r = 0; !start.add && r < to.rows; ++r) {
    Real* row = to.data + r * to.stride;
    if (start.bias != nullptr) {
      std::copy_n(start.bias, to.cols, row);
    } else {
      std::fill_n(row, to.cols, Real(0));
    }
  }
}

/// to = start + the sum over the tile's heads, in their order, of factor(h) rows(h) packed[h]. The
/// same order everywhere makes the same bits.
template <typename Factor>
void sum_heads(const Plan& plan, const Tile& tile, const Tensor& buffer,
               const std::vector<PackedBlock>& packed, Factor factor, Start start,
               const Matrix& to) {
  bool any = false;
  for (Index h = 0; h < plan.heads(); ++h) {
    if (!plan.selection.runs(tile.sequence, h)) continue;
    const Index row = plan.row_of[tile.sequence * plan.heads() + h] + tile.first;
    packed[h].multiply(factor(h), rows_of(buffer, row, tile.rows), start, to);
    start = {true};
    any = true;
  }
  if (!any) write_start(start, to);
}

/// What the pairs' attention made, for backward: q, k, v [rows, 3 d], a [rows, d], log-sum-exp
/// [rows].
struct Saved {
  Tensor qkv, attended, log_sum_exp;

  HeadView view(const Plan& plan, const Pair& pair) const {
    const Index d = plan.width;
    const Real* q = qkv.row(pair.row);
    return {q, q + d, q + 2 * d, 3 * d, plan.segments.length(pair.sequence), d};
  }
};

Saved attend(const Plan& plan, const Linear& layer, const Tensor& x) {
  const Index d = plan.width;
  const ConstMatrix weight_t = ConstMatrix(layer.weight().value()).t();  // [D, H * 3 d]
  Saved saved{Tensor({plan.rows(), 3 * d}), Tensor({plan.rows(), d}), Tensor({plan.rows()})};
  const auto packed =
      head_columns(plan, weight_t, 3 * d, [&] { return pack_transpose(layer.weight()); });
  for_each(plan.pieces, plan.rows(), [&](const Piece& piece) {
    const Start bias{false, layer.bias().value().data() + piece.head * 3 * d};
    packed[piece.head].multiply(1, rows_of(x, piece.token, piece.rows), bias,
                                rows_of(saved.qkv, piece.row, piece.rows));
  });
  for_each(plan.pairs, plan.rows(), [&](const Pair& pair) {
    attend_head(saved.view(plan, pair), saved.attended.row(pair.row), d,
                saved.log_sum_exp.data() + pair.row, 1);
  });
  return saved;
}

/// One product over all heads, as MultiHeadAttention has it: needs the heads side by side.
void combine_dense(const Plan& plan, const Tile& tile, const Tensor& attended,
                   const PackedBlock& out, Start bias, const Matrix& to) {
  const Index d = plan.width, width = plan.heads() * d;
  Tensor side_by_side({tile.rows, width});
  for (Index h = 0; h < plan.heads(); ++h) {
    const Index row = plan.row_of[tile.sequence * plan.heads() + h] + tile.first;
    for (Index r = 0; r < tile.rows; ++r) {
      std::copy_n(attended.row(row + r), d, side_by_side.row(r) + h * d);
    }
  }
  out.multiply(1, side_by_side, bias, to);
}

Tensor combine(const Plan& plan, const Linear& layer, const Tensor& attended) {
  const Segments& segments = plan.segments;
  Tensor y({segments.tokens(), plan.dim});
  const Packed weight_t = pack_transpose(layer.weight());  // [H d, D]
  const PackedBlock all(weight_t, 0, weight_t->rows(), 0, weight_t->cols());
  const auto packed = head_rows(plan, weight_t, plan.width);
  const Start bias{false, layer.bias().value().data()};
  for_each(plan.tiles, segments.tokens(), [&](const Tile& tile) {
    const Index b = tile.sequence;
    const Matrix to = rows_of(y, segments.begin(b) + tile.first, tile.rows);
    if (plan.is_dense(b)) return combine_dense(plan, tile, attended, all, bias, to);
    sum_heads(
        plan, tile, attended, packed, [&](Index h) { return plan.gate(b, h); }, bias, to);
  });
  return y;
}

/// u = g Wo_h for every pair [rows, d].
Tensor project_gradient(const Plan& plan, const Tensor& out_weight, const Tensor& g) {
  Tensor up({plan.rows(), plan.width});
  const auto packed = head_columns(plan, out_weight, plan.width, [&] { return pack(out_weight); });
  for_each(plan.pieces, plan.rows(), [&](const Piece& piece) {
    packed[piece.head].multiply(1, rows_of(g, piece.token, piece.rows), {false},
                                rows_of(up, piece.row, piece.rows));
  });
  return up;
}

/// dL/dgate [B, H], u_h,t . a_h,t summed over the tokens.
Tensor gate_gradient(const Plan& plan, const Tensor& up, const Tensor& attended) {
  Tensor result = Tensor::zeros({plan.segments.count(), plan.heads()});
  for_each(plan.pairs, plan.rows(), [&](const Pair& pair) {
    result.row(pair.sequence)[pair.head] = dot_row(plan.segments.length(pair.sequence) * plan.width,
                                                   up.row(pair.row), attended.row(pair.row));
  });
  return result;
}

/// e = dL/d(q, k, v) of every pair [rows, 3 d]; scales u by the gates on its way.
Tensor attend_backward(const Plan& plan, const Saved& saved, Tensor& up) {
  const Index d = plan.width;
  Tensor d_qkv({plan.rows(), 3 * d});
  for_each(plan.pairs, plan.rows(), [&](const Pair& pair) {
    const Real gate = plan.gate(pair.sequence, pair.head);
    Real *u = up.row(pair.row), *dq = d_qkv.row(pair.row);
    if (gate != 1) scale_row(plan.segments.length(pair.sequence) * d, gate, u, u);
    attend_head_backward(saved.view(plan, pair), u, saved.attended.row(pair.row), d,
                         saved.log_sum_exp.data() + pair.row, 1, {dq, dq + d, dq + 2 * d});
  });
  return d_qkv;
}

/// dL/dx = sum_h e_h W_h
void input_gradient(const Plan& plan, const Tensor& qkv_weight, const Tensor& d_qkv, bool add,
                    Tensor& dx) {
  const auto packed = head_rows(plan, pack(qkv_weight), 3 * plan.width);
  for_each(plan.tiles, plan.segments.tokens(), [&](const Tile& tile) {
    const Index token = plan.segments.begin(tile.sequence) + tile.first;
    sum_heads(
        plan, tile, d_qkv, packed, [](Index) { return Real(1); }, {add},
        rows_of(dx, token, tile.rows));
  });
}

/// to [H * width, D] = for each head the sum over its rows of gate left^T right, plus `to` itself
/// when `add`.   left [rows, width], by pairs   right [tokens, D]
/// A task is a head and some columns of D, and sums the pieces of the head in their order.
void weight_gradient(const Plan& plan, const Tensor& left, const Tensor& right, bool gated,
                     bool add, Tensor& to) {
  constexpr Index tile_cols = 64;
  const Index width = left.dim(1), col_tiles = block_count(plan.dim, tile_cols);
  parallel_for(plan.heads() * col_tiles, 1, [&](Index task, Index) {
    const Index head = task / col_tiles, col = task % col_tiles * tile_cols;
    const Index cols = std::min(tile_cols, plan.dim - col);
    const Matrix part = Matrix(to).block(head * width, width, col, cols);
    Start start{add};
    for (const Piece& piece : plan.pieces) {
      if (piece.head != head) continue;
      const PackedBlock packed(rows_of(right, piece.token, piece.rows).col_block(col, cols));
      packed.multiply(gated ? piece.gate : Real(1), rows_of(left, piece.row, piece.rows).t(), start,
                      part);
      start = {true};
    }
    if (!plan.head_runs(head)) write_start(start, part);
  });
}

/// dL/dWo [D, H d], from its transpose.
void out_gradient(const Plan& plan, const Tensor& attended, const Tensor& g, Real beta,
                  Tensor& to) {
  Tensor transposed({plan.heads() * plan.width, plan.dim});
  weight_gradient(plan, attended, g, true, false, transposed);
  parallel_for(plan.dim, 16, [&](Index first, Index last) {
    for (Index j = 0; j < to.dim(1); ++j) {
      for (Index i = first; i < last; ++i) {
        Real& value = to.row(i)[j];
        value = transposed.row(j)[i] + (beta == 0 ? 0 : value);
      }
    }
  });
}

/// dL/dc [H * 3 d]: column sums of e, head by head.
void bias_gradient(const Plan& plan, const Tensor& d_qkv, Real beta, Tensor& to) {
  const Index width = 3 * plan.width;
  for (Index h = 0; h < plan.heads(); ++h) {
    const Index first = plan.head_rows[h], rows = plan.head_rows[h + 1] - first;
    Tensor part = to.rows(h * width, width);
    add_column_sums(d_qkv.rows(first, rows), beta, part);
  }
}

}  // namespace

Variable dispatch_heads(const Variable& x, const Segments& segments, const HeadSelection& selection,
                        const Variable& gates, const Linear& qkv, const Linear& out) {
  require(selection.sequences() == segments.count() && x.dim(0) == segments.tokens(),
          "dispatch_heads: ", selection.sequences(), " selections and ", x.dim(0),
          " rows do not fit ", segments.count(), " sequences of together ", segments.tokens(),
          " tokens");
  require(!gates.defined() || gates.shape() == selection.mask.shape(), "dispatch_heads: gates ",
          gates.shape(), " do not fit the selection ", selection.mask.shape());
  const ProfileScope scope(WorkKind::head_dispatch);
  const auto plan = std::make_shared<const Plan>(make_plan(
      segments, selection, gates.value(), x.dim(1), out.weight().dim(1) / selection.heads));
  Saved saved = attend(*plan, qkv, x.value());
  if (!recording()) saved.qkv = {};  // nobody will ask for it: the next tensors may have its place
  const Tensor y = combine(*plan, out, saved.attended);
  return record(
      "dispatch_heads", y, {x, gates, qkv.weight(), qkv.bias(), out.weight(), out.bias()},
      [plan, saved, xv = x.value(), qkv_v = qkv.weight().value(), out_v = out.weight().value(),
       dx = x.grad_buffer(), dgates = gates.grad_buffer(), dqkv = qkv.weight().grad_buffer(),
       dqkv_bias = qkv.bias().grad_buffer(), dout = out.weight().grad_buffer(),
       dout_bias = out.bias().grad_buffer()](const Tensor& g) {
        dout_bias.add_by([&](Tensor& to, Real beta) { add_column_sums(g, beta, to); });
        dout.add_by(
            [&](Tensor& to, Real beta) { out_gradient(*plan, saved.attended, g, beta, to); });
        if (!(dx.wanted() || dgates.wanted() || dqkv.wanted() || dqkv_bias.wanted())) return;
        Tensor up = project_gradient(*plan, out_v, g);
        if (dgates.wanted()) dgates.add(gate_gradient(*plan, up, saved.attended));
        const Tensor d_qkv = attend_backward(*plan, saved, up);
        dx.add_by(
            [&](Tensor& to, Real beta) { input_gradient(*plan, qkv_v, d_qkv, beta != 0, to); });
        dqkv.add_by([&](Tensor& to, Real beta) {
          weight_gradient(*plan, d_qkv, xv, false, beta != 0, to);
        });
        dqkv_bias.add_by([&](Tensor& to, Real beta) { bias_gradient(*plan, d_qkv, beta, to); });
      });
}

}  // namespace bf
