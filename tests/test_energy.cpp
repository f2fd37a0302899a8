#include "train/energy.h"

#include <doctest/doctest.h>

#include <string>

#include "tensor/clock.h"
#include "tests/temp_folder.h"

using namespace bf;

namespace {

/// A powercap folder whose counters the test moves.
struct Counters {
  TempFolder folder;

  void zone(const std::string& zone, const std::string& name, const std::string& energy) const {
    folder.write(zone + "/name", name + "\n");
    folder.write(zone + "/max_energy_range_uj", "1000000000\n");
    set(zone, energy);
  }
  void set(const std::string& zone, const std::string& energy) const {
    folder.write(zone + "/energy_uj", energy + "\n");
  }
  EnergyConfig config() const {
    EnergyConfig config;
    config.powercap = folder.path();
    return config;
  }
};

}  // namespace

TEST_CASE("energy: packages and their memory are added, what is inside or around them is not") {
  const Counters counters;
  counters.zone("intel-rapl:0", "package-0", "1000000");
  counters.zone("intel-rapl:0:0", "core", "0");
  counters.zone("intel-rapl:0:1", "dram", "0");
  counters.zone("intel-rapl:1", "package-1", "5000000");
  counters.zone("intel-rapl:2", "psys", "0");
  counters.zone("intel-rapl-mmio:0", "package-0", "0");
  EnergyMeter meter(counters.config());
  counters.set("intel-rapl:0", "4000000");
  counters.set("intel-rapl:0:0", "2000000");
  counters.set("intel-rapl:0:1", "500000");
  counters.set("intel-rapl:1", "5250000");
  counters.set("intel-rapl:2", "9000000");
  counters.set("intel-rapl-mmio:0", "3000000");
  const Energy energy = meter.read();
  CHECK(energy.joules == doctest::Approx(3.75));
  CHECK(energy.gco2 == doctest::Approx(3.75 / 3.6e6 * 475));
  CHECK(energy.source == "RAPL (whole packages)");
}

TEST_CASE("energy: a counter that wraps around goes on from its range") {
  const Counters counters;
  counters.zone("intel-rapl:0", "package-0", "999000000");
  EnergyMeter meter(counters.config());
  counters.set("intel-rapl:0", "2000000");
  CHECK(meter.read().joules == doctest::Approx(3));
  counters.set("intel-rapl:0", "3000000");
  CHECK(meter.read().joules == doctest::Approx(4));
}

TEST_CASE("energy: without counters it is CPU seconds times the stated watts") {
  const TempFolder empty;
  EnergyConfig config;
  config.powercap = empty.path("none");
  config.watts_per_core = 7.5;
  config.grid_gco2_per_kwh = 100;
  EnergyMeter meter(config);
  const auto start = Clock::now();
  volatile double work = 0;
  while (seconds_since(start) < 0.02) work = work + 1;
  const Energy energy = meter.read();
  CHECK(energy.cpu_seconds > 0);
  CHECK(energy.joules == doctest::Approx(7.5 * energy.cpu_seconds));
  CHECK(energy.gco2 == doctest::Approx(energy.joules / 36000));
  CHECK(energy.source == "assumed 7.5 W per busy core");
}

TEST_CASE("energy: memory without a package, or a counter that vanishes, is no RAPL") {
  const Counters counters;
  counters.zone("intel-rapl:0:1", "dram", "0");
  CHECK(EnergyMeter(counters.config()).read().source == "assumed 5 W per busy core");
  counters.zone("intel-rapl:0", "package-0", "0");
  EnergyMeter meter(counters.config());
  counters.set("intel-rapl:0", "");
  CHECK(meter.read().source == "assumed 5 W per busy core");
}

TEST_CASE("energy: parts add up") {
  Energy sum{1, 0.5, 2, "first"};
  add(sum, {10, 0.25, 3, "second"});
  CHECK(sum.joules == 11);
  CHECK(sum.gco2 == 0.75);
  CHECK(sum.cpu_seconds == 5);
  CHECK(sum.source == "second");
}

TEST_CASE("energy: the configuration of the process is what a meter takes") {
  const EnergyConfig before = energy_config();
  const TempFolder empty;
  set_energy_config({.watts_per_core = 2, .powercap = empty.path()});
  CHECK(EnergyMeter().read().source == "assumed 2 W per busy core");
  set_energy_config(before);
}
