#include "experiments/study_timing.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/temp_folder.h"

using namespace bf;

namespace {

const Variant variant{.name = "mha", .settings = {{"attention", "mha"}}};

StudyTimes timed(const TempFolder& folder) {
  PlannedRun run;
  run.dataset = "set";
  run.variant = &variant;
  run.seed = 3;
  run.folder = folder.path("none");
  std::ostringstream shown;
  Progress progress(shown, false);
  return test_and_time({run}, folder.path("times.json"), progress);
}

}  // namespace

TEST_CASE("study_timing: what the file has is not measured again") {
  const TempFolder folder;
  std::ofstream(folder.path("times.json"))
      << R"({"mha": {"seconds_per_1000_texts": 0.5, "test": {"accuracy": 0.25}}})";
  const StudyTimes times = timed(folder);
  CHECK(times.seconds_per_1000 == std::vector<double>{0.5});
  CHECK(times.tests[0]["accuracy"] == 0.25);
}

TEST_CASE("study_timing: a file that is not JSON is named") {
  const TempFolder folder;
  std::ofstream(folder.path("times.json")) << "half a fi";
  CHECK_THROWS_WITH_AS(timed(folder),
                       (folder.path("times.json") + ": is not a JSON object").c_str(),
                       std::runtime_error);
}
