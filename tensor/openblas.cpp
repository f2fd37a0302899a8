#include "tensor/openblas.h"

#include <cblas.h>

namespace bf {

std::string openblas_name() { return openblas_get_config(); }

}  // namespace bf
