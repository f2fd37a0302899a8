// summary.json of a finished run, as bf-train --resume reads and shows it.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/evaluation_text.h"
#include "nn/json_text.h"
#include "tests/fuzz/fuzz.h"
#include "train/report_from_json.h"
#include "train/report_json.h"

namespace bf::fuzz {

void summary(std::string_view bytes) {
  const std::vector<std::string> classes{"one", "two"};
  constexpr Index heads = 2;
  const nlohmann::json json = parse_json(bytes);
  refused_well("a file: report: ", [&] {
    const FinishedReports read = finished_reports(json, "a file", classes.size(), heads);
    expect(to_json(read.test) == json["test"], "another evaluation comes back");
    std::string text = evaluation_text(read.test, classes, heads);
    std::erase(text, '\n');
    expect_printable(text);
  });
}

}  // namespace bf::fuzz
