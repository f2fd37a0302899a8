#include "autograd/concat.h"

#include <algorithm>

#include "autograd/elementwise.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// Extents along `axis` of all parts, which have to agree along the other axis.
std::vector<Index> checked_extents(const char* operation, const std::vector<Variable>& parts,
                                   Index axis) {
  require(!parts.empty(), operation, ": expected at least one part");
  std::vector<Index> extents;
  for (const Variable& part : parts) {
    require(
        part.rank() == 2 && parts[0].rank() == 2 && part.dim(1 - axis) == parts[0].dim(1 - axis),
        operation, ": part ", extents.size(), " ", part.shape(), " does not fit part 0 ",
        parts[0].shape());
    extents.push_back(part.dim(axis));
  }
  return extents;
}

Index total(const std::vector<Index>& extents) {
  Index sum = 0;
  for (const Index extent : extents) sum += extent;
  return sum;
}

std::vector<GradBuffer> buffers(const std::vector<Variable>& parts) {
  std::vector<GradBuffer> result;
  result.reserve(parts.size());
  for (const Variable& part : parts) result.push_back(part.grad_buffer());
  return result;
}

}  // namespace

Variable concat_cols(const std::vector<Variable>& parts) {
  const std::vector<Index> cols = checked_extents("concat_cols", parts, 1);
  const Index rows = parts[0].dim(0);
  Tensor y({rows, total(cols)});
  over_rows(rows, y.dim(1), [&](Index r) {
    Real* to = y.row(r);
    for (const Variable& part : parts) {
      to = std::copy_n(part.value().row(r), part.dim(1), to);
    }
  });
  return record("concat_cols", y, parts, [cols, d = buffers(parts)](const Tensor& g) {
    Index first = 0;
    for (Index i = 0; i < cols.size(); first += cols[i++]) {
      if (!d[i].wanted()) continue;
      Tensor part({g.dim(0), cols[i]});
      over_rows(g.dim(0), cols[i],
                [&](Index r) { std::copy_n(g.row(r) + first, cols[i], part.row(r)); });
      d[i].add(part);
    }
  });
}

Variable concat_rows(const std::vector<Variable>& parts) {
  const std::vector<Index> rows = checked_extents("concat_rows", parts, 0);
  Tensor y({total(rows), parts[0].dim(1)});
  Real* to = y.data();
  for (const Variable& part : parts) to = std::copy_n(part.value().data(), part.value().size(), to);
  return record("concat_rows", y, parts, [rows, d = buffers(parts)](const Tensor& g) {
    Index first = 0;
    for (Index i = 0; i < rows.size(); first += rows[i++]) {
      if (d[i].wanted()) d[i].add(g.rows(first, rows[i]));
    }
  });
}

}  // namespace bf
