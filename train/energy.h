#pragma once

#include <string>
#include <vector>

namespace bf {

/// How work becomes joules where the processor does not count them, and joules grams of CO2.
struct EnergyConfig {
  /// Watts of one busy core: an assumption, about the rated power of a server processor divided by
  /// its cores. Used where RAPL cannot be read.
  double watts_per_core = 5;
  /// Grams of CO2 per kWh. Default: the world's electricity in 2018 (International Energy Agency,
  /// Global Energy & CO2 Status Report 2019).
  double grid_gco2_per_kwh = 475;
  std::string powercap = "/sys/class/powercap";  ///< where the system shows RAPL
};

/// The configuration of this process; not to be changed while a meter exists.
const EnergyConfig& energy_config();
void set_energy_config(const EnergyConfig& config);

/// What a piece of work took.
struct Energy {
  double joules = 0;
  double gco2 = 0;          ///< joules / 3.6e6 x grams per kWh
  double cpu_seconds = 0;   ///< of this process, user and system, all threads
  std::string source = {};  ///< "RAPL (whole packages)" or "assumed 5 W per busy core"
};

/// Adds up; the source is that of the last one.
void add(Energy& sum, const Energy& more);

/// Measures from its construction on. With RAPL (the running average power limit counters of Intel
/// and AMD processors) it reads the packages ("intel-rapl:0", ...) and the memory beside them
/// (zones named "dram"), so the joules are those of the whole machine and also hold what other
/// processes spent. Where no package can be read, or one fails on the way, it takes CPU seconds x
/// watts.
class EnergyMeter {
 public:
  explicit EnergyMeter(const EnergyConfig& config = energy_config());

  /// Looks at the counters. They wrap around every few minutes under load, so a long piece of work
  /// calls this at least once a minute; cheap, since it reads at most once a second.
  void update();
  /// What was spent so far.
  Energy read();

 private:
  struct Zone {
    std::string path;
    double last = 0, range = 0;  ///< microjoules
  };

  void find_zones();
  void read_zones();

  EnergyConfig config_;
  std::vector<Zone> zones_;  ///< empty = no RAPL
  double microjoules_ = 0, start_cpu_ = 0, last_update_ = 0;
};

}  // namespace bf
