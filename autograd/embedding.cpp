#include "autograd/embedding.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "autograd/elementwise.h"
#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// Adds each row of g to the row of grad that its id names. Positions are sorted by id, so one task
/// owns each table row and adds to it in the order of the positions, whatever the thread count.
void scatter_add(const Ids& ids, const Tensor& g, Tensor& grad) {
  const ProfileScope scope(WorkKind::embedding, g.size() * sizeof(Real));
  const Index d = grad.dim(1);
  std::vector<Index> order(ids.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return ids[a] < ids[b]; });
  std::vector<Index> starts;  // of the runs of one id in `order`
  for (Index i = 0; i < order.size(); ++i) {
    if (i == 0 || ids[order[i]] != ids[order[i - 1]]) starts.push_back(i);
  }
  starts.push_back(order.size());
  over_rows(starts.size() - 1, d, [&](Index run) {
    Real* row = grad.row(static_cast<Index>(ids[order[starts[run]]]));
    for (Index i = starts[run]; i < starts[run + 1]; ++i) add_row(d, g.row(order[i]), row, row);
  });
}

}  // namespace

Variable embedding(const Variable& table, const Ids& ids) {
  require(table.rank() == 2, "embedding: expected a table [rows, D], got ", table.shape());
  const ProfileScope scope(WorkKind::embedding);
  const Index rows = table.dim(0), d = table.dim(1);
  for (Index i = 0; i < ids.size(); ++i) {
    require(ids[i] >= 0 && static_cast<Index>(ids[i]) < rows, "embedding: id ", ids[i],
            " at position ", i, " is outside the table of ", rows, " rows");
  }
  Tensor y({ids.size(), d});
  over_rows(ids.size(), d, [&](Index i) {
    std::copy_n(table.value().row(static_cast<Index>(ids[i])), d, y.row(i));
  });
  return record("embedding", y, {table}, [ids, dt = table.grad_buffer()](const Tensor& g) {
    dt.add_by([&](Tensor& grad, Real beta) {
      if (beta == 0) {
        over_values(grad.size(), Arrays{1},
                    [&](Index n, Index first) { std::fill_n(grad.data() + first, n, Real(0)); });
      }
      scatter_add(ids, g, grad);
    });
  });
}

}  // namespace bf
