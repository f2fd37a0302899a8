#pragma once

#include <string>

namespace bf {

/// The version of OpenBLAS, how it was built, and the kernels that it chose for this processor, for
/// the record of a run: "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64".
std::string openblas_name();

}  // namespace bf
