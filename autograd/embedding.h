#pragma once

#include "autograd/tape.h"
#include "tensor/ids.h"

namespace bf {

/// Looks up one row of a table per id: y_i = table[ids_i].
///   table [rows, D]   ids [tokens]   y [tokens, D]
/// Backward, with g = dL/dy:  dL/dtable[r] = sum of g_i over all i with ids_i = r.  Saved: ids.
/// Throws std::invalid_argument, naming position and id, for an id outside the table.
Variable embedding(const Variable& table, const Ids& ids);

}  // namespace bf
