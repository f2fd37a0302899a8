#include "experiments/training_run.h"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "tests/read_only_folder.h"
#include "tests/small_run.h"
#include "tests/small_task.h"
#include "tests/sync_hook.h"
#include "tests/temp_folder.h"
#include "train/report_json.h"
#include "train/run_folder.h"
#include "train/text_json.h"

using namespace bf;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("training_run: the folder holds the model that was tested, its log and its summary") {
  const TempFolder temporary;
  const std::string out = temporary.path("run");
  std::ostringstream shown;
  Progress progress(shown, false);
  RunOptions run = small_run();
  run.log_every = 3;
  const TokenizedData data = load_tokenized(run.data, run.tokenizer, progress);
  TrainingRun trained =
      train_run(data, run, run.model_for(data), "small", out, {{"seed", "1"}}, progress);
  CHECK(trained.training.steps == 8);

  TrainedModel loaded = load_run(out);
  CHECK(weights_of(loaded.model) == weights_of(trained.model));
  CHECK(evaluate(loaded.model, data.test).predictions == trained.test.predictions);

  const auto metrics = lines_of(out + "/metrics.jsonl");
  REQUIRE(metrics.size() == 5);  // steps 1, 3 and 6, two epochs
  CHECK(nlohmann::json::parse(metrics[0])["step"]["step"] == 1);
  CHECK(nlohmann::json::parse(metrics[4])["epoch"]["epoch"] == 2);
  std::ifstream file(out + "/summary.json");
  const nlohmann::json summary = nlohmann::json::parse(file);
  CHECK(summary["test"]["accuracy"] == trained.test.scores.accuracy);
  CHECK(summary["class_names"] == nlohmann::json{"no", "yes"});
  CHECK(summary["environment"] == environment_json());
  CHECK(summary["test"]["by_difficulty"][0]["name"] == "easy");
  const auto texts = lines_of(out + "/test_texts.jsonl");
  REQUIRE(texts.size() == data.test.size());
  CHECK(nlohmann::json::parse(texts[7]) == text_json(trained.test, data.test, 7));
  std::ifstream config(out + "/config.json");
  CHECK(nlohmann::json::parse(config)["options"]["seed"] == "1");

  CHECK(shown.str().find("small  step 1/8  loss ") != std::string::npos);
  CHECK(shown.str().find("small  epoch 2  train loss ") != std::string::npos);
  CHECK(shown.str().find("training, ") != std::string::npos);
}

TEST_CASE("training_run: without a folder nothing is written") {
  std::ostringstream shown;
  Progress progress(shown, false);
  const RunOptions run = small_run();
  const TokenizedData data = load_tokenized(run.data, run.tokenizer, progress);
  CHECK(train_run(data, run, run.model_for(data), "small", "", {}, progress).test.examples > 0);
}

namespace {

/// A log that sends SIGTERM to the process when `text` is written.
class SignalAt : public std::stringbuf {
 public:
  explicit SignalAt(std::string text) : text_(std::move(text)) {}

 protected:
  std::streamsize xsputn(const char* characters, std::streamsize count) override {
    const std::streamsize written = std::stringbuf::xsputn(characters, count);
    if (!text_.empty() && str().find(text_) != std::string::npos) {
      text_.clear();
      std::raise(SIGTERM);
    }
    return written;
  }

 private:
  std::string text_;
};

RunOptions resumable() {
  RunOptions run = small_run();
  run.log_every = 1;
  run.out = "given by each test";
  run.resume = true;
  run.resolve();
  return run;
}

/// What the log says of a run in `out`; with a signal when `stop` is logged.
std::string log_of(const RunOptions& run, const TokenizedData& data, const std::string& out,
                   const std::string& stop, std::string& error, TrainingRun* result = nullptr) {
  SignalAt buffer(stop);
  std::ostream shown(&buffer);
  Progress progress(shown, false);
  error.clear();
  try {
    TrainingRun trained = train_run(data, run, run.model_for(data), "small", out, {}, progress);
    if (result != nullptr) *result = std::move(trained);
  } catch (const Interrupted& stopped) {
    CHECK(stopped.signal == SIGTERM);
    error = stopped.what();
  } catch (const std::runtime_error& refused) {
    error = refused.what();
  }
  return buffer.str();
}

TokenizedData data_of(const RunOptions& run) {
  std::ostringstream ignored;
  Progress progress(ignored, false);
  return load_tokenized(run.data, run.tokenizer, progress);
}

/// A line without measured times, energy and memory.
nlohmann::json lasting(const std::string& line) {
  nlohmann::json object = nlohmann::json::parse(line).flatten();
  nlohmann::json kept;
  for (const auto& [name, value] : object.items()) {
    bool measured = false;
    for (const char* word : {"seconds", "energy", "peak_"}) {
      measured = measured || name.find(word) != name.npos;
    }
    if (!measured) kept[name] = value;
  }
  return kept;
}

}  // namespace

TEST_CASE("training_run: a run that is stopped twice and resumed is like one that is not") {
  const TempFolder temporary;
  const RunOptions run = resumable();
  const TokenizedData data = data_of(run);
  const std::string whole = temporary.path("whole"), out = temporary.path("run");
  std::string error;
  TrainingRun first, second, third;
  log_of(run, data, whole, "", error, &first);
  CHECK(error == "");
  CHECK(folder_state(out) == FolderState::empty);
  log_of(run, data, out, "step 3/8", error);
  CHECK(error == "stopped after step 3 of 8; --resume goes on in " + out);
  CHECK(folder_state(out) == FolderState::interrupted);
  std::ofstream(out + "/metrics.jsonl", std::ios::app) << "{\"step\": half of a li";
  // Between the last update of an epoch and its validation.
  std::string log = log_of(run, data, out, "step 4/8", error);
  CHECK(log.find("small  goes on after step 3\n") != std::string::npos);
  CHECK(error == "stopped after step 4 of 8; --resume goes on in " + out);
  log = log_of(run, data, out, "", error, &second);
  CHECK(error == "");
  CHECK(log.find("goes on after step 4\n") != std::string::npos);
  CHECK(folder_state(out) == FolderState::finished);
  CHECK_FALSE(std::filesystem::exists(out + "/checkpoint"));

  const auto want = lines_of(whole + "/metrics.jsonl"), have = lines_of(out + "/metrics.jsonl");
  REQUIRE(want.size() == 10);
  REQUIRE(have.size() == 10);
  for (Index i = 0; i < 10; ++i) CHECK(lasting(have[i]) == lasting(want[i]));
  CHECK(weights_of(second.model) == weights_of(first.model));
  CHECK(lasting(second.summary.dump()) == lasting(first.summary.dump()));

  log = log_of(run, data, out, "", error, &third);
  CHECK(log == "small  is complete in " + out + "\n");
  CHECK(weights_of(third.model) == weights_of(first.model));
  CHECK(third.summary == second.summary);
  CHECK(to_json(third.test) == to_json(second.test));
  CHECK(to_json(third.training) == to_json(second.training));
  CHECK(third.test.scores.accuracy == first.test.scores.accuracy);
}

TEST_CASE("training_run: what a kill leaves of a complete run goes when it is read") {
  const TempFolder temporary;
  const RunOptions run = resumable();
  const TokenizedData data = data_of(run);
  const std::string out = temporary.path("run"), complete = "small  is complete in " + out + "\n";
  std::string error;
  log_of(run, data, out, "", error);
  temporary.write("run/lock", "4242\n");
  temporary.write("run/checkpoint/step-8.safetensors", "");
  RunOptions other = run;
  other.training.learning_rate.peak = 0.5;
  log_of(other, data, out, "", error);
  CHECK(error.find("--lr") != error.npos);
  CHECK(std::filesystem::exists(out + "/checkpoint"));  // a run that is refused stays as it is
  CHECK(log_of(run, data, out, "", error) == complete);
  CHECK(RunFolder::is_tidy(out));
  // One that is tidy is only read.
  const ReadOnlyFolder read_only(out);
  if (read_only.works()) CHECK(log_of(run, data, out, "", error) == complete);
}

TEST_CASE("training_run: a run that another process completes before the lock is ours stays") {
  const TempFolder temporary;
  const RunOptions run = resumable();
  const TokenizedData data = data_of(run);
  const std::string whole = temporary.path("whole"), out = temporary.path("run");
  std::string error;
  TrainingRun first, second;
  log_of(run, data, whole, "", error, &first);
  std::string log;
  {
    // The folder's name is synced between the first look at it and the lock.
    bool seen = false;
    const SyncHook hook([&](const std::string&) {
      if (!std::exchange(seen, true)) std::filesystem::copy(whole, out);
      return 0;
    });
    log = log_of(run, data, out, "", error, &second);
  }
  CHECK(log == "small  is complete in " + out + "\n");
  CHECK(second.summary == first.summary);
  CHECK(lines_of(out + "/metrics.jsonl") == lines_of(whole + "/metrics.jsonl"));
}

TEST_CASE("training_run: a damaged checkpoint is passed over with a note") {
  const TempFolder temporary;
  RunOptions run = resumable();
  run.checkpoint_every = 2;
  const TokenizedData data = data_of(run);
  const std::string out = temporary.path("run");
  std::string error;
  TrainingRun whole, rest;
  log_of(run, data, temporary.path("whole"), "", error, &whole);
  log_of(run, data, out, "step 7/8", error);
  const std::string newest = out + "/checkpoint/step-7.safetensors";
  std::filesystem::resize_file(newest, 100);
  const std::string log = log_of(run, data, out, "", error, &rest);
  CHECK(log.find("small  warning: load: \"" + newest + "\": ") != std::string::npos);
  CHECK(log.find("small  goes on after step 6\n") != std::string::npos);
  CHECK(weights_of(rest.model) == weights_of(whole.model));
  CHECK(lines_of(out + "/metrics.jsonl").size() == 10);
}

TEST_CASE("training_run: a run of other options or rows is refused, complete or not") {
  const TempFolder temporary;
  const RunOptions run = resumable();
  const TokenizedData data = data_of(run);
  const std::string out = temporary.path("run");
  std::string error;
  for (const char* stop : {"step 3/8", ""}) {
    log_of(run, data, out, stop, error);
    RunOptions other = run;
    other.training.learning_rate.peak = 0.5;
    log_of(other, data, out, "", error);
    CHECK(error == out +
                       ": was begun with --lr 0.003, not 0.5; give it the same options, or choose "
                       "another folder");
    other = run;
    other.data.difficulty = "hard";
    log_of(other, data_of(other), out, "", error);
    CHECK(error == out +
                       ": was begun with --difficulty easy, not hard; give it the same options, "
                       "or choose another folder");
    other = run;
    other.resume = false;
    log_of(other, data, out, "", error);
    CHECK(error == out + ": holds a run already (config.json); choose another folder");
  }
}

TEST_CASE("training_run: a complete run whose summary has other classes is refused by its name") {
  const TempFolder temporary;
  const RunOptions run = resumable();
  const TokenizedData data = data_of(run);
  const std::string out = temporary.path("run"), path = out + "/summary.json";
  std::string error;
  TrainingRun result;
  log_of(run, data, out, "", error, &result);
  result.summary["test"]["class_f1"].erase(0);
  temporary.write("run/summary.json", result.summary.dump());
  log_of(run, data, out, "", error);
  const std::string classes = std::to_string(data.class_names.size());
  CHECK(error == path + ": report: \"class_f1\" has " +
                     std::to_string(data.class_names.size() - 1) + " values, expected " + classes);
}

TEST_CASE("training_run: without a folder a signal ends the run") {
  const RunOptions run = small_run();
  RunOptions logged = run;
  logged.log_every = 1;
  std::string error;
  log_of(logged, data_of(run), "", "step 2/8", error);
  CHECK(error == "stopped after step 2 of 8; without --out nothing is kept");
}

TEST_CASE("training_run: a run that is not finite any more names step, operation and checkpoint") {
  const TempFolder temporary;
  RunOptions run = resumable();
  run.training.learning_rate.peak = 1e30;
  const TokenizedData data = data_of(run);
  std::string error;
  log_of(run, data, temporary.path("none"), "", error);
  CHECK(error.starts_with("training: the loss is "));
  CHECK(error.find(" at step 2 (epoch 1): ") != error.npos);
  CHECK(error.find(": output [") != error.npos);
  CHECK(error.find("; the first parameter with a gradient that is not finite is \"") != error.npos);
  CHECK(error.ends_with("; no checkpoint has been made yet"));
  log_of(run, data, "", "", error);
  CHECK(error.ends_with("; without --out there is no checkpoint"));

  run.checkpoint_every = 1;
  const std::string out = temporary.path("run");
  log_of(run, data, out, "", error);
  const std::string checkpoint =
      "; the last good checkpoint is " + out + "/checkpoint/step-1.safetensors (step 1)";
  CHECK(error.ends_with(checkpoint));
  CHECK(folder_state(out) == FolderState::interrupted);
  // Again from there it ends alike; told to skip, it goes on until there is no answer at all.
  const std::string first = error;
  const std::string log = log_of(run, data, out, "", error);
  CHECK(log.find("goes on after step 1\n") != log.npos);
  CHECK(error == first);
  run.training.on_nonfinite = "skip";
  const std::string skipped = log_of(run, data, out, "", error);
  CHECK(skipped.find("small  skipped: the loss is ") != skipped.npos);
  CHECK(error.starts_with("training: the validation after step 4 (epoch 1): evaluate: logit "));
  const auto metrics = lines_of(out + "/metrics.jsonl");
  REQUIRE(metrics.size() == 4);
  const nlohmann::json last = nlohmann::json::parse(metrics[3])["step"];
  CHECK(last["step"] == 4);
  CHECK(last["loss"].is_null());
  CHECK(last["skipped"].get<std::string>().starts_with("the loss is "));
}

namespace {

Index count_of(const std::string& text, const std::string& part) {
  Index count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("training_run: an alarm is shown when it is new, and stands in every epoch's line") {
  const TempFolder temporary;
  RunOptions run = resumable();
  run.training.epochs = 3;
  run.training.learning_rate.peak = 0;  // nothing changes from epoch to epoch
  run.training.adamw.weight_decay = 0;
  run.model.attention = "fixed";
  run.model.budget.fixed_budget = 0.25;
  run.model.budget.dense = 0;
  const TokenizedData data = data_of(run);
  const std::string whole = temporary.path("whole"), out = temporary.path("run");
  std::string error;
  const std::string log = log_of(run, data, whole, "", error);
  CHECK(error == "");
  const auto alarms_in = [](const std::string& line) {
    return nlohmann::json::parse(line)["epoch"]["alarms"];
  };
  std::vector<std::string> epochs;
  for (const std::string& line : lines_of(whole + "/metrics.jsonl")) {
    if (line.find("\"epoch\":{") != line.npos) epochs.push_back(line);
  }
  REQUIRE(epochs.size() == 3);
  REQUIRE(alarms_in(epochs[0]).size() > 0);
  CHECK(alarms_in(epochs[0]) == alarms_in(epochs[2]));
  CHECK(count_of(log, "small  alarm: ") == alarms_in(epochs[0]).size());
  // A run that goes on knows what was said before.
  std::string parts = log_of(run, data, out, "epoch 1  ", error);
  parts += log_of(run, data, out, "", error);
  CHECK(count_of(parts, "small  alarm: ") == alarms_in(epochs[0]).size());
}

TEST_CASE("training_run: the loss that spikes is shown, and stands in the log") {
  const TempFolder temporary;
  RunOptions run = small_run();
  run.data.rows = 600, run.model.attention = "mha";
  run.training.seed = 2, run.training.batch = 8, run.training.epochs = 4;
  run.training.learning_rate.peak = 1, run.training.learning_rate.warmup = 0.9;
  std::string error;
  const std::string log = log_of(run, data_of(run), temporary.path("run"), "", error);
  CHECK(error == "");
  const Index shown = count_of(log, "small  alarm: the loss spikes at step ");
  CHECK(shown > 0);
  Index logged = 0;
  for (const std::string& line : lines_of(temporary.path("run/metrics.jsonl"))) {
    logged += count_of(line, "\"spike_above\":");
  }
  CHECK(logged == shown);
}
