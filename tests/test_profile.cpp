#include "tensor/profile.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include <thread>

#include "tensor/clock.h"
#include "tensor/flops.h"
#include "tensor/parallel.h"

using namespace bf;

namespace {

const WorkTotal& of(const Profile& profile, WorkKind work) {
  return profile[static_cast<std::size_t>(work)];
}

void wait(double seconds) {
  for (const auto start = Clock::now(); seconds_since(start) < seconds;) {
  }
}

}  // namespace

TEST_CASE("profile: a scope records calls, time, bytes and the operations counted in it") {
  start_profile();
  for (int i = 0; i < 2; ++i) {
    const ProfileScope scope(WorkKind::attention, 100);
    count_flops(FlopKind::attention, 7);
    wait(0.001);
  }
  count_flops(FlopKind::linear, 5);  // outside
  const WorkTotal total = of(stop_profile(), WorkKind::attention);
  CHECK(total.calls == 2);
  CHECK(total.bytes == 200);
  CHECK(total.flops == 14);
  CHECK(total.seconds >= 0.002);
}

TEST_CASE("profile: the outermost scope has the time, inner ones add their bytes to it") {
  start_profile();
  {
    const ProfileScope outer(WorkKind::optimizer, 1);
    const ProfileScope inner(WorkKind::elementwise, 10);
    wait(0.001);
    CHECK(ProfileScope::current() == WorkKind::optimizer);
  }
  CHECK(ProfileScope::current() == WorkKind::none);
  const Profile profile = stop_profile();
  CHECK(of(profile, WorkKind::optimizer).calls == 1);
  CHECK(of(profile, WorkKind::optimizer).bytes == 11);
  CHECK(of(profile, WorkKind::optimizer).seconds >= 0.001);
  CHECK(of(profile, WorkKind::elementwise).calls == 0);
  CHECK(of(profile, WorkKind::elementwise).bytes == 0);
}

TEST_CASE("profile: nothing is recorded when none is on, and each starts from zero") {
  {
    const ProfileScope scope(WorkKind::gemm, 1);
    CHECK(ProfileScope::current() == WorkKind::none);
  }
  start_profile();
  { const ProfileScope scope(WorkKind::gemm, 1); }
  { const ProfileScope scope(WorkKind::none, 1); }
  CHECK(of(stop_profile(), WorkKind::gemm).calls == 1);
  start_profile();
  for (const WorkTotal& total : stop_profile()) CHECK(total.calls + total.bytes == 0);
}

TEST_CASE("profile: scopes in parallel bodies and on other threads do nothing") {
  start_profile();
  {
    const ProfileScope outer(WorkKind::attention);
    parallel_for(64, 1, [](Index, Index) {
      const ProfileScope scope(WorkKind::elementwise);
      wait(1e-5);
    });
  }
  std::thread([] { const ProfileScope scope(WorkKind::gemm); }).join();
  const Profile profile = stop_profile();
  CHECK(of(profile, WorkKind::attention).calls == 1);
  CHECK(of(profile, WorkKind::elementwise).calls == 0);
  CHECK(of(profile, WorkKind::gemm).calls == 0);
}

TEST_CASE("profile: every kind has a name of its own") {
  CHECK(work_name(WorkKind::gemm) == std::string("gemm"));
  CHECK(work_name(WorkKind::head_dispatch) == std::string("head_dispatch"));
  CHECK(work_name(WorkKind::none) == std::string("none"));
  std::set<std::string> names;
  for (std::size_t i = 0; i <= work_kinds; ++i) names.insert(work_name(static_cast<WorkKind>(i)));
  CHECK(names.size() == work_kinds + 1);
}
