#include "train/energy.h"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "tensor/clock.h"
#include "tensor/require.h"

namespace bf {
namespace {

namespace fs = std::filesystem;

constexpr double joules_per_kwh = 3.6e6;
constexpr double seconds_between_updates = 1;

EnergyConfig& process_config() {
  static EnergyConfig config;
  return config;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// User and system time of all threads of this process.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

std::optional<double> number_in(const std::string& path) {
  std::ifstream file(path);
  double value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

/// Whether a zone counts what no other chosen one does: packages hold their cores and graphics;
/// "psys" holds the packages.
bool counts(const std::string& folder) {
  if (fs::path(folder).filename().string().rfind("intel-rapl:", 0) != 0) return false;
  std::ifstream file(folder + "/name");
  std::string name;
  file >> name;
  return name.rfind("package", 0) == 0 || name == "dram";
}

double now() {
  static const Clock::time_point start = Clock::now();
  return seconds_since(start);
}

}  // namespace

const EnergyConfig& energy_config() { return process_config(); }
void set_energy_config(const EnergyConfig& config) { process_config() = config; }

void add(Energy& sum, const Energy& more) {
  sum.joules += more.joules;
  sum.gco2 += more.gco2;
  sum.cpu_seconds += more.cpu_seconds;
  sum.source = more.source;
}

EnergyMeter::EnergyMeter(const EnergyConfig& config)
    : config_(config), start_cpu_(cpu_seconds()), last_update_(now()) {
  find_zones();
}

void EnergyMeter::find_zones() {
  std::error_code error;
  bool has_package = false;
  for (const auto& entry : fs::directory_iterator(config_.powercap, error)) {
    const std::string folder = entry.path().string();
    if (!counts(folder)) continue;
    const std::optional<double> energy = number_in(folder + "/energy_uj");
    const std::optional<double> range = number_in(folder + "/max_energy_range_uj");
    if (!energy || !range) continue;
    zones_.push_back({folder + "/energy_uj", *energy, *range});
    // A package is "intel-rapl:0", a zone inside it "intel-rapl:0:1".
    const std::string name = entry.path().filename().string();
    has_package |= name.find(':') == name.rfind(':');
  }
  if (!has_package) zones_.clear();
}

void EnergyMeter::read_zones() {
  for (Zone& zone : zones_) {
    const std::optional<double> energy = number_in(zone.path);
    if (!energy) {
      zones_.clear();
      return;
    }
    const double step = *energy - zone.last;
    microjoules_ += step >= 0 ? step : step + zone.range;
    zone.last = *energy;
  }
}

void EnergyMeter::update() {
  if (zones_.empty() || now() - last_update_ < seconds_between_updates) return;
  last_update_ = now();
  read_zones();
}

Energy EnergyMeter::read() {
  read_zones();
  Energy energy;
  energy.cpu_seconds = cpu_seconds() - start_cpu_;
  if (zones_.empty()) {
    energy.joules = config_.watts_per_core * energy.cpu_seconds;
    energy.source = join_parts("assumed ", config_.watts_per_core, " W per busy core");
  } else {
    energy.joules = 1e-6 * microjoules_;
    energy.source = "RAPL (whole packages)";
  }
  energy.gco2 = energy.joules / joules_per_kwh * config_.grid_gco2_per_kwh;
  return energy;
}

}  // namespace bf
