#include "train/run_folder.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "nn/safetensors.h"
#include "tensor/require.h"
#include "tests/file_size_limit.h"
#include "tests/read_only_folder.h"
#include "tests/small_task.h"
#include "tests/sync_hook.h"
#include "tests/temp_folder.h"
#include "tests/values.h"

using namespace bf;
namespace fs = std::filesystem;

namespace {

std::vector<Example> texts() {
  std::vector<Example> examples;
  for (const char* text :
       {"one two three", "four five", "six seven eight nine", "ten eleven", "twelve thirteen"}) {
    examples.emplace_back();
    examples.back().text = text;
  }
  return examples;
}

/// A run with a tiny model (16 ids: 3 special ones and 13 words) in `path`.
void save_run(const std::string& path, Model& model) {
  const auto tokenizer = build_tokenizer("word", texts(), 16, 1);
  REQUIRE(tokenizer->vocabulary_size() == 16);
  RunFolder folder(path);
  folder.begin({{"options", "none"}});
  folder.save_model(model, *tokenizer, {.max_length = 12}, {"a", "b", "c"});
  folder.finish({{"done", true}});
}

/// What is said when a log line, the model and the summary cannot be written.
std::vector<std::string> write_errors(RunFolder& folder) {
  Model model = make_model(small_model("mha"));
  const auto tokenizer = build_tokenizer("word", texts(), 16, 1);
  const auto save = [&] { folder.save_model(model, *tokenizer, {.max_length = 12}, {"a"}); };
  const nlohmann::json summary = {{"long", std::string(100, 'x')}};
  return {error_text<std::runtime_error>([&] {
            folder.add_metric({{"step", 2}});
          }),
          error_text<std::runtime_error>(save),
          error_text<std::runtime_error>([&] { folder.finish(summary); })};
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("run_folder: a model comes back with its weights, tokenizer, classes and length") {
  const TempFolder temporary;
  const std::string path = temporary.path() + "/deep/run";
  Model model = make_model(small_model("budget"));
  save_run(path, model);
  TrainedModel trained = load_run(path);
  CHECK(weights_of(trained.model) == weights_of(model));
  CHECK(trained.model.config.attention == "budget");
  CHECK(trained.class_names == std::vector<std::string>{"a", "b", "c"});
  CHECK(trained.max_length == 12);
  CHECK(trained.tokenizer->encode("two ten", "", 9) ==
        build_tokenizer("word", texts(), 16, 1)->encode("two ten", "", 9));
  CHECK_FALSE(trained.model.net->training());
}

TEST_CASE("run_folder: the files, and one JSON object per metric") {
  const TempFolder temporary;
  const std::string path = temporary.path() + "/run";
  RunFolder folder(path);
  folder.begin({{"options", 1}});
  CHECK(nlohmann::json::parse(content(path + "/config.json")) == nlohmann::json{{"options", 1}});
  folder.add_metric({{"step", 1}});
  folder.add_metric({{"step", 2}});
  CHECK(content(path + "/metrics.jsonl") == "{\"step\":1}\n{\"step\":2}\n");
  CHECK_FALSE(fs::exists(path + "/summary.json"));
  folder.finish({{"accuracy", 1}});
  CHECK(nlohmann::json::parse(content(path + "/summary.json"))["accuracy"] == 1);
}

TEST_CASE("run_folder: empty, interrupted, finished") {
  const TempFolder temporary;
  const std::string path = temporary.path("run");
  CHECK(folder_state(path) == FolderState::empty);
  {
    RunFolder folder(path);
    CHECK(folder_state(path) == FolderState::empty);
    folder.begin({{"seed", 1}});
    CHECK(folder_state(path) == FolderState::interrupted);
    folder.finish({{"accuracy", 1}});
  }
  CHECK(folder_state(path) == FolderState::finished);
  CHECK(run_config(path) == nlohmann::json{{"seed", 1}});
  CHECK(run_summary(path) == nlohmann::json{{"accuracy", 1}});
  temporary.write("run/summary.json", "[1]");
  CHECK_THROWS_WITH_AS(run_summary(path), (path + "/summary.json: is not a JSON object").c_str(),
                       std::runtime_error);
}

TEST_CASE("run_folder: going on cuts the log and removes what a killed process left") {
  const TempFolder temporary;
  const std::string path = temporary.path("run");
  Index position = 0;
  {
    RunFolder folder(path);
    folder.begin({});
    folder.add_metric({{"step", 1}});
    position = folder.metrics_bytes();
    folder.add_metric({{"step", 2}});
  }
  CHECK(position == 11);
  temporary.write("run/model.safetensors.tmp0", "half");
  temporary.write("run/checkpoint/step-3.safetensors.tmp12", "half");
  temporary.write("run/notes.tmp0", "the user's own");
  {
    RunFolder folder(path);
    folder.resume(position);
    folder.add_metric({{"step", 3}});
  }
  CHECK(content(path + "/metrics.jsonl") == "{\"step\":1}\n{\"step\":3}\n");
  CHECK_FALSE(fs::exists(path + "/model.safetensors.tmp0"));
  CHECK_FALSE(fs::exists(path + "/checkpoint/step-3.safetensors.tmp12"));
  CHECK(fs::exists(path + "/notes.tmp0"));
  CHECK_THROWS_WITH_AS(
      RunFolder(path).resume(23),
      (path + "/metrics.jsonl: has 22 bytes; the checkpoint was made at 23").c_str(),
      std::runtime_error);
}

TEST_CASE("run_folder: on a full disk each file is named, and the run can go on from before") {
  const TempFolder temporary;
  const std::string path = temporary.path("run");
  std::vector<std::string> errors;
  {
    RunFolder folder(path);
    folder.begin({});
    folder.add_metric({{"step", 1}});
    REQUIRE(folder.metrics_bytes() == 11);
    folder.checkpoints().save({});
    const FileSizeLimit limit(16);
    errors = write_errors(folder);
  }
  CHECK(errors == std::vector<std::string>{
                      path + "/metrics.jsonl: cannot write",
                      "save: \"" + path + "/model.safetensors\": cannot write: File too large",
                      "save: \"" + path + "/summary.json\": cannot write: File too large"});
  CHECK(folder_state(path) == FolderState::interrupted);
  RunFolder folder(path);
  CHECK(std::distance(fs::directory_iterator(path), {}) == 4);  // config, log, checkpoint, lock
  CHECK(folder.checkpoints().newest({}).has_value());
  folder.resume(11);
  folder.add_metric({{"step", 3}});
  CHECK(content(path + "/metrics.jsonl") == "{\"step\":1}\n{\"step\":3}\n");
}

TEST_CASE("run_folder: in a folder that turns read-only each file is named, and nothing is lost") {
  const TempFolder temporary;
  const std::string path = temporary.path("run");
  RunFolder folder(path);
  folder.begin({});
  folder.add_metric({{"step", 1}});
  folder.checkpoints().save({});
  std::vector<std::string> errors;
  std::string checkpoint;
  {
    fs::permissions(path + "/checkpoint", fs::perms{0555});
    const ReadOnlyFolder read_only(path);
    if (!read_only.works()) return;
    errors = write_errors(folder);
    Checkpoint next;
    next.state.trainer.step = 2;
    checkpoint = error_text<std::runtime_error>([&] { folder.checkpoints().save(next); });
  }
  CHECK(errors == std::vector<std::string>{
                      "",  // it is open
                      "save: \"" + path + "/model.safetensors\": cannot create: Permission denied",
                      "save: \"" + path + "/summary.json\": cannot create: Permission denied"});
  CHECK(checkpoint ==
        "save: \"" + path + "/checkpoint/step-2.safetensors\": cannot create: Permission denied");
  CHECK(folder_state(path) == FolderState::interrupted);
  CHECK(folder.checkpoints().newest({})->state.trainer.step == 0);
  CHECK(folder.metrics_bytes() == 22);
}

TEST_CASE("run_folder: its name, the log's name and the log are on the disk for the checkpoints") {
  const TempFolder temporary;
  const std::string real = fs::canonical(temporary.path()), path = real + "/run";
  std::vector<std::string> synced;
  const SyncHook hook([&](const std::string& what) {
    const bool log = fs::exists(path + "/metrics.jsonl");
    synced.push_back(what.substr(real.size()) + (log ? " with log" : ""));
    return 0;
  });
  RunFolder folder(path);
  CHECK(synced == std::vector<std::string>{""});
  synced.clear();
  folder.begin({});
  CHECK(synced == std::vector<std::string>{"/run/config.json.tmp0", "/run", "/run with log"});
  synced.clear();
  folder.add_metric({{"step", 1}});
  CHECK(folder.metrics_bytes() == 11);
  CHECK(synced == std::vector<std::string>{"/run/metrics.jsonl with log"});
}

TEST_CASE("run_folder: a log that is not a file is refused, not waited for") {
  const TempFolder temporary;
  const std::string path = temporary.path("run"), log = path + "/metrics.jsonl";
  temporary.write("run/config.json", "{}");
  REQUIRE(mkfifo(log.c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS(RunFolder(path).resume(0), (log + ": is not a regular file").c_str(),
                       std::runtime_error);
}

TEST_CASE("run_folder: a folder of which nothing can be said is not an empty one") {
  const TempFolder temporary;
  const std::string path = temporary.path();
  fs::create_symlink("loop", path + "/loop");
  const std::string message =
      path + "/loop/summary.json: cannot be looked at: Too many levels of symbolic links";
  CHECK_THROWS_WITH_AS(folder_state(path + "/loop"), message.c_str(), std::runtime_error);
  fs::create_symlink("config.json", path + "/config.json");
  CHECK_THROWS_WITH_AS(
      RunFolder(path).begin({}),
      (path + ": holds a run already (config.json); choose another folder").c_str(),
      std::runtime_error);
}

TEST_CASE("run_folder: what a kill leaves of a complete run is seen and removed") {
  const TempFolder temporary;
  const std::string path = temporary.path("run");
  Model model = make_model(small_model("mha"));
  save_run(path, model);
  CHECK(RunFolder::is_tidy(path));
  for (const char* name : {"lock", "checkpoint/step-3.safetensors", "summary.json.tmp0"}) {
    CAPTURE(name);
    temporary.write(std::string("run/") + name, "");
    CHECK_FALSE(RunFolder::is_tidy(path));
    RunFolder(path).tidy();
    CHECK(RunFolder::is_tidy(path));
  }
  CHECK(folder_state(path) == FolderState::finished);
}

TEST_CASE("run_folder: a run that is complete keeps no checkpoint and no lock") {
  const TempFolder temporary;
  const std::string path = temporary.path("run");
  {
    RunFolder folder(path);
    folder.begin({});
    folder.checkpoints().save({});
    CHECK(fs::exists(path + "/checkpoint/step-0.safetensors"));
    CHECK(fs::exists(path + "/lock"));
    CHECK_THROWS_AS(RunFolder{path}, std::runtime_error);
    folder.finish({});
  }
  CHECK_FALSE(fs::exists(path + "/checkpoint"));
  CHECK_FALSE(fs::exists(path + "/lock"));
}

TEST_CASE("run_folder: a folder that holds a run is refused, and stays as it is") {
  const TempFolder temporary;
  const std::string path = temporary.path() + "/run";
  RunFolder(path).begin({{"options", "first"}});
  const std::string message = path + ": holds a run already (config.json); choose another folder";
  CHECK_THROWS_WITH_AS(RunFolder(path).begin({{"options", "second"}}), message.c_str(),
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(RunFolder::require_free(path), message.c_str(), std::runtime_error);
  CHECK(content(path + "/config.json").find("first") != std::string::npos);
}

TEST_CASE("run_folder: what this run did not make is neither taken for its own nor removed") {
  const TempFolder temporary;
  const std::string path = temporary.path("run");
  for (const char* name : {"checkpoint/step-90.safetensors", "checkpoint/notes/mine"}) {
    const std::string file = temporary.write(std::string("run/") + name, "mine");
    CHECK_THROWS_WITH_AS(
        RunFolder(path).begin({}),
        (path + ": holds a run already (checkpoint); choose another folder").c_str(),
        std::runtime_error);
    CHECK(content(file) == "mine");
    fs::remove_all(path + "/checkpoint");
  }
  const std::string texts = temporary.write("run/test_texts.jsonl", "mine");
  CHECK_THROWS_WITH_AS(
      RunFolder(path).begin({}),
      (path + ": holds a run already (test_texts.jsonl); choose another folder").c_str(),
      std::runtime_error);
  CHECK(content(texts) == "mine");
  fs::remove(texts);
  fs::create_symlink("elsewhere", texts);
  CHECK_THROWS_AS(RunFolder(path).begin({}), std::runtime_error);
  fs::remove(texts);
  const std::string file = temporary.write("run/checkpoint", "");
  CHECK_THROWS_AS(RunFolder(path).begin({}), std::runtime_error);
  fs::remove(file);
  fs::create_directory(path + "/checkpoint");
  temporary.write("run/step-5.tmp1", "mine");
  {
    RunFolder folder(path);
    folder.begin({});
    folder.checkpoints().save({});
    temporary.write("run/checkpoint/notes", "mine");
    folder.finish({});
  }
  CHECK(content(path + "/step-5.tmp1") == "mine");
  CHECK(content(path + "/checkpoint/notes") == "mine");
  CHECK_FALSE(fs::exists(path + "/checkpoint/step-0.safetensors"));
}

TEST_CASE("run_folder: a folder that cannot be made is an error") {
  const TempFolder temporary;
  const std::string file = temporary.path() + "/file";
  std::ofstream(file) << "text";
  const std::string message = file + "/run: cannot make the folder: Not a directory";
  CHECK_THROWS_WITH_AS(RunFolder(file + "/run"), message.c_str(), std::runtime_error);
}

TEST_CASE("run_folder: what is not a run is named") {
  const TempFolder temporary;
  const std::string path = temporary.path();
  CHECK_THROWS_WITH_AS(load_run(path + "/nowhere"), (path + "/nowhere: no such run folder").c_str(),
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(load_run(path),
                       (path + ": holds no trained model (no model.safetensors)").c_str(),
                       std::runtime_error);
  const std::string file = path + "/model.safetensors";
  save_safetensors(file, {}, {{"other", "1"}});
  CHECK_THROWS_WITH_AS(
      load_run(path),
      (file + ": the metadata has no \"model\"; is it a model of bf-train?").c_str(),
      std::runtime_error);
  save_safetensors(file, {}, {{"model", "{"}});
  CHECK_THROWS_WITH_AS(load_run(path), (file + ": \"model\" in the metadata is not JSON").c_str(),
                       std::runtime_error);
}

TEST_CASE("run_folder: metadata that does not fit together is named") {
  const TempFolder temporary;
  const std::string path = temporary.path(), file = path + "/model.safetensors";
  Model model = make_model(small_model("mha"));
  const auto save = [&](const std::map<std::string, std::string>& changes) {
    Metadata metadata = {{"model", to_json(model.config).dump()},
                         {"class_names", R"(["a", "b", "c"])"},
                         {"max_length", "12"},
                         {"tokenizer", build_tokenizer("word", texts(), 16, 1)->to_json().dump()}};
    for (const auto& [name, value] : changes) metadata[name] = value;
    save_parameters(*model.net, file, metadata);
  };
  const auto check = [&](const std::map<std::string, std::string>& changes,
                         const std::string& message) {
    save(changes);
    CHECK_THROWS_WITH_AS(load_run(path), (file + message).c_str(), std::runtime_error);
  };
  check({{"class_names", R"(["a", "b"])"}}, ": 2 class names for 3 classes");
  check({{"class_names", R"(["a", "b", "a"])"}}, ": two classes are named \"a\"");
  check({{"class_names", nlohmann::json{"a", "b", std::string(1001, 'x')}.dump()}},
        ": the class name \"" + std::string(60, 'x') + "...\" is longer than 1000 bytes");
  check({{"tokenizer", R"({"type": "none"})"}},
        ": tokenizer: expected type \"word\", got \"none\"");
  check({{"model", "{}"}}, ": model configuration: \"attention\" is missing");
  check({{"max_length", "17"}}, ": max_length 17 is outside 1..16");
  check({{"max_length", "\"long\""}},
        ": \"class_names\" or \"max_length\" in the metadata has the wrong type");
  check({{"tokenizer", build_tokenizer("word", texts(), 8, 1)->to_json().dump()}},
        ": the tokenizer has 8 entries, the model expects 16");
  nlohmann::json config = to_json(model.config);
  config["transformer"]["heads"] = 5;
  check({{"model", config.dump()}}, ": attention: width 16 is not divisible by 5 heads");
  // What a file claims costs no memory.
  config = to_json(model.config);
  config["transformer"]["vocabulary"] = 1'000'000'000'000;
  const Index values = model.net->parameter_count();
  check({{"model", config.dump()}},
        join_parts(": the model that it describes has ",
                   16.0 * (1e12 + 3 + 16) + 2.0 * (4 * 16 * 16 + 2 * 16 * 32),
                   " parameters, the file holds ", values));
  config = to_json(model.config);
  config["transformer"]["positions"] = "sinusoidal";
  config["transformer"]["max_length"] = 1 << 23;
  check({{"model", config.dump()}}, ": max_length 8388608 exceeds 65536");
  save({});
  CHECK_NOTHROW(load_run(path));
}
