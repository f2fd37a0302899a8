#include "experiments/run_record.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "tests/temp_folder.h"
#include "tests/values.h"

using namespace bf;

namespace {

const std::string config = R"({"dataset": "trec", "model": {"attention": "budget",
  "transformer": {"layers": 2, "heads": 4}}})";

}  // namespace

TEST_CASE("run_record: a path that leads nowhere is a number that is not one") {
  const nlohmann::json json = {{"a", {{"b", {1, "x"}}}}, {"t", "word"}, {"n", nullptr}};
  CHECK(number_at(json, "/a/b/0") == 1);
  CHECK(std::isnan(number_at(json, "/a/b/1")));
  CHECK(std::isnan(number_at(json, "/a/c")));
  CHECK(std::isnan(number_at(nullptr, "/a")));
  CHECK(text_at(json, "/t") == "word");
  CHECK(text_at(json, "/a/b/0") == "1");
  CHECK(text_at(json, "/n", "none") == "none");
  CHECK(numbers_at(json, "/a/b").size() == 2);
  CHECK(numbers_at(json, "/t").empty());
}

TEST_CASE("run_record: a folder with its configuration alone is a run without results") {
  const TempFolder folder;
  folder.write("config.json", config);
  const RunRecord run = read_run_record(folder.path());
  CHECK(run.name() == "trec, budget");
  CHECK(run.layers() == 2);
  CHECK(run.heads() == 4);
  CHECK(run.budgets());
  CHECK(run.summary.is_null());
  CHECK(run.epochs.empty());
  CHECK(std::isnan(run.test("accuracy")));
  CHECK(std::isnan(run.heads_mean()));
  CHECK(run.class_name(1) == "class 1");
}

TEST_CASE("run_record: results, steps once each, and texts") {
  const TempFolder folder;
  folder.write("config.json", config);
  folder.write("summary.json", R"({"test": {"accuracy": 0.5, "seconds": 2, "examples": 500,
    "executed_flops_per_text": 3, "dense_flops_per_text": 4,
    "layers": [{"heads_mean": 1}, {"heads_mean": 2}]}})");
  folder.write("metrics.jsonl",
               "{\"step\": {\"step\": 20, \"loss\": 2}}\n{\"step\": {\"step\": 10}}\n"
               "{\"epoch\": {\"epoch\": 1}}\n{\"step\": {\"step\": 20, \"loss\": 1}}\n{\"epo");
  folder.write("test_texts.jsonl",
               "{\"index\": 7, \"label\": 1, \"tokens\": 12, \"kind\": \"same\", \"heads\": [[3], "
               "[0, 2]]}\n{\"index\": 8}\n");
  const RunRecord run = read_run_record(folder.path());
  CHECK(run.test("accuracy") == 0.5);
  CHECK(run.heads_mean() == 1.5);
  CHECK(run.executed_share() == 0.75);
  CHECK(run.seconds_per_1000() == 4);
  REQUIRE(run.steps.size() == 2);
  CHECK(number_at(run.steps[1], "/loss") == 1);
  CHECK(run.epochs.size() == 1);
  REQUIRE(run.texts.size() == 2);
  CHECK(run.texts[0].total_heads() == 3);
  CHECK(run.texts[0].heads[1] == std::vector<Index>{0, 2});
  CHECK(run.texts[0].kind == "same");
  CHECK_FALSE(run.texts[1].has_heads());
  CHECK(std::isnan(run.texts[1].loss));
}

TEST_CASE("run_record: a run takes its times from the line of its folder") {
  const TempFolder folder;
  folder.write("config.json", config);
  folder.write("summary.json", R"({"test": {"seconds": 2, "examples": 500,
    "energy": {"joules": 10, "gco2": 5}}})");
  const std::string file = folder.write(
      "results.jsonl",
      "{\"command\": \"bf-train --out other\", \"seconds_per_1000_texts\": 1}\n"
      "{\"command\": \"bf-train --out " +
          folder.path() +
          "\", \"seconds_per_1000_texts\": 3, "
          "\"energy\": {\"joules_per_1000_texts\": 7, \"gco2_per_1000_texts\": 0.5}}\n");
  RunRecord run = read_run_record(folder.path() + "/");
  CHECK(run.seconds_per_1000() == 4);
  CHECK(run.joules_per_1000() == 20);
  CHECK(run.gco2_per_1000() == 10);
  take_times(run, file);
  CHECK(run.seconds_per_1000() == 3);
  CHECK(run.joules_per_1000() == 7);
  CHECK(run.gco2_per_1000() == 0.5);
  run.path = "elsewhere", run.timed = nullptr;
  CHECK_THROWS_WITH_AS(take_times(run, file),
                       (file + ": no command in it ends with \"--out elsewhere\"").c_str(),
                       std::runtime_error);
}

TEST_CASE("run_record: a summary may be longer than other files of JSON") {
  const TempFolder folder;
  folder.write("config.json", R"({"model": {"transformer": {}}})");
  folder.write("summary.json", "{\"best_epoch\": 3" + std::string(17 << 20, ' ') + "}");
  CHECK(read_run_record(folder.path()).summary.at("best_epoch") == 3);
}

TEST_CASE("run_record: what cannot be read is named") {
  const TempFolder folder;
  CHECK_THROWS_WITH_AS(read_run_record("no-such"), "no-such: no such run folder",
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(read_run_record(folder.path()),
                       (folder.path() + ": is not the folder of a run (no config.json)").c_str(),
                       std::runtime_error);
  const std::string file = folder.write("config.json", "[1]");
  CHECK_THROWS_WITH_AS(read_run_record(folder.path()), (file + ": is not a JSON object").c_str(),
                       std::runtime_error);
  folder.write("config.json", "{}");
  CHECK_THROWS_WITH_AS(read_run_record(folder.path()),
                       (file + ": has no \"model\" with a \"transformer\"").c_str(),
                       std::runtime_error);
  folder.write("config.json", config);
  const std::string metrics = folder.write("metrics.jsonl", "{}\nwhat\n");
  CHECK_THROWS_WITH_AS(read_run_record(folder.path()),
                       (metrics + ":2: is not a JSON object").c_str(), std::runtime_error);
}

TEST_CASE("run_record: a file cannot ask for tables without end") {
  const TempFolder folder;
  folder.write("config.json", R"({"model": {"transformer": {"layers": 1e14, "heads": 257}}})");
  CHECK_THROWS_WITH_AS(
      read_run_record(folder.path()),
      (folder.path() +
       "/config.json: 100000000000000 layers of 257 heads; at most 100 of 256 can be shown")
          .c_str(),
      std::runtime_error);
}

TEST_CASE("run_record: texts are of at most 50 kinds and 50 difficulties") {
  const TempFolder folder;
  folder.write("config.json", config);
  for (const std::string name : {"kind", "difficulty"}) {
    std::string lines;
    const auto text = [&name](int i) {
      return "{\"" + name + "\": \"" + std::to_string(i) + "\"}\n";
    };
    for (int i = 0; i < 200; ++i) lines += text(i % 50) + "{}\n";
    const std::string path = folder.write("test_texts.jsonl", lines);
    CHECK(read_run_record(folder.path()).texts.size() == 400);
    folder.write("test_texts.jsonl", lines + text(50));
    CHECK(error_text<std::runtime_error>([&] { read_run_record(folder.path()); }) ==
          path + ": more than 50 " + (name == "kind" ? "kinds" : "difficulties") +
              " of texts; no more can be shown");
  }
}

TEST_CASE("run_record: steps and epochs without a number, and heads that are none, do no harm") {
  const TempFolder folder;
  folder.write("config.json", config);
  folder.write("metrics.jsonl",
               "{\"step\": {\"step\": null}}\n{\"step\": {\"step\": 2}}\n{\"epoch\": []}\n");
  folder.write("test_texts.jsonl", R"({"heads": [[1e300, -1]]})"
                                   "\n");
  const RunRecord run = read_run_record(folder.path());
  CHECK(run.steps.size() == 1);
  CHECK(run.epochs.empty());
  CHECK(run.texts.at(0).heads.at(0) == std::vector<Index>{0, 0});
}
