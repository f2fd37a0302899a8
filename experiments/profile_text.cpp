#include "experiments/profile_text.h"

#include <cmath>
#include <vector>

#include "experiments/table.h"

namespace bf {
namespace {

double accounted_seconds(const Profile& profile) {
  double sum = 0;
  for (const WorkTotal& total : profile) sum += total.seconds;
  return sum;
}

double rounded(double value, int digits) {
  const double unit = std::pow(10, digits);
  return std::round(value * unit) / unit;
}

/// Billions per second.
double rate(std::uint64_t count, const WorkTotal& total) {
  return static_cast<double>(count) / total.seconds / 1e9;
}

/// Bytes are not all that counts where there are products: their traffic is not in them.
bool has_byte_rate(const WorkTotal& total) { return total.flops == 0 && total.bytes > 0; }

}  // namespace

nlohmann::ordered_json profile_json(const Profile& profile, double seconds) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < work_kinds; ++i) {
    const WorkTotal& total = profile[i];
    if (total.calls == 0) continue;
    nlohmann::ordered_json& entry = json[work_name(static_cast<WorkKind>(i))];
    entry = {{"calls", total.calls},
             {"seconds", rounded(total.seconds, 6)},
             {"share", rounded(total.seconds / seconds, 4)}};
    if (total.flops > 0) entry["gflops"] = rounded(rate(total.flops, total), 1);
    if (has_byte_rate(total)) entry["gb_per_s"] = rounded(rate(total.bytes, total), 1);
  }
  const double accounted = accounted_seconds(profile);
  json["other"] = {{"seconds", rounded(seconds - accounted, 6)},
                   {"share", rounded(1 - accounted / seconds, 4)}};
  json["accounted"] = rounded(accounted / seconds, 4);
  return json;
}

std::string profile_table(const Profile& profile, double seconds, std::size_t steps) {
  std::vector<std::vector<std::string>> rows{{"work", "calls", "ms", "share", "GFLOP/s", "GB/s"}};
  const double count = static_cast<double>(steps);
  const auto add_row = [&](const char* name, const WorkTotal& total) {
    const double calls = static_cast<double>(total.calls) / count;
    rows.push_back({name, total.calls > 0 ? fixed_digits(calls, 1) : "",
                    fixed_digits(total.seconds / count * 1e3, 3),
                    fixed_digits(100 * total.seconds / seconds, 1) + " %",
                    total.flops > 0 ? fixed_digits(rate(total.flops, total), 1) : "",
                    has_byte_rate(total) ? fixed_digits(rate(total.bytes, total), 1) : ""});
  };
  for (std::size_t i = 0; i < work_kinds; ++i) {
    if (profile[i].calls > 0) add_row(work_name(static_cast<WorkKind>(i)), profile[i]);
  }
  add_row("other", {.seconds = seconds - accounted_seconds(profile)});
  add_row("step", {.seconds = seconds});
  return table(rows);
}

}  // namespace bf
