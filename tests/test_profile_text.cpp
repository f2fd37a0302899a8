#include "experiments/profile_text.h"

#include <doctest/doctest.h>

namespace {

bf::Profile small_profile() {
  bf::Profile profile{};
  profile[static_cast<std::size_t>(bf::WorkKind::gemm)] = {8, 1.5, 300'000'000'000, 0};
  profile[static_cast<std::size_t>(bf::WorkKind::elementwise)] = {20, 0.4, 0, 2'000'000'000};
  return profile;
}

}  // namespace

TEST_CASE("profile_text: kinds with calls, the rest as other, the accounted share") {
  const auto json = bf::profile_json(small_profile(), 2);
  CHECK(json.size() == 4);
  CHECK(json["gemm"]["calls"] == 8);
  CHECK(json["gemm"]["seconds"].get<double>() == doctest::Approx(1.5));
  CHECK(json["gemm"]["share"].get<double>() == doctest::Approx(0.75));
  CHECK(json["gemm"]["gflops"].get<double>() == doctest::Approx(200));
  CHECK(!json["gemm"].contains("gb_per_s"));
  CHECK(json["elementwise"]["gb_per_s"].get<double>() == doctest::Approx(5));
  CHECK(!json["elementwise"].contains("gflops"));
  CHECK(json["other"]["seconds"].get<double>() == doctest::Approx(0.1));
  CHECK(json["other"]["share"].get<double>() == doctest::Approx(0.05));
  CHECK(json["accounted"].get<double>() == doctest::Approx(0.95));
}

TEST_CASE("profile_text: a table of one step") {
  CHECK(bf::profile_table(small_profile(), 2, 4) ==
        "work         calls       ms    share  GFLOP/s  GB/s\n"
        "-----------  -----  -------  -------  -------  ----\n"
        "gemm           2.0  375.000   75.0 %    200.0      \n"
        "elementwise    5.0  100.000   20.0 %            5.0\n"
        "other                25.000    5.0 %               \n"
        "step                500.000  100.0 %               \n");
}
