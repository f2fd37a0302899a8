#include <cblas.h>
#include <doctest/doctest.h>

#include "tensor/gemm.h"
#include "tensor/openblas.h"

using namespace bf;

TEST_CASE("openblas: its name has a version and the kernels that compute") {
  const std::string name = openblas_name();
  CHECK(name.starts_with("OpenBLAS 0."));
  set_gemm_backend(GemmBackend::openblas);
  const std::string kernels = gemm_kernel_name().substr(std::string("OpenBLAS ").size());
  set_gemm_backend(GemmBackend::own);
  CHECK_FALSE(kernels.empty());
  CHECK(name.find(' ' + kernels) != std::string::npos);
}

TEST_CASE("openblas: computes on the thread that calls it, whatever OPENBLAS_NUM_THREADS says") {
  CHECK(openblas_get_num_threads() == 1);
}
