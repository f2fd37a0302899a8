#include "train/checkpoint.h"

#include <doctest/doctest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tensor/require.h"
#include "tests/file_size_limit.h"
#include "tests/small_task.h"
#include "tests/sync_hook.h"
#include "tests/temp_folder.h"
#include "tests/values.h"
#include "train/report_json.h"

using namespace bf;
namespace fs = std::filesystem;

namespace {

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Of a run of 12 updates an epoch, in its second epoch, with odd values here and there.
Checkpoint small_checkpoint(const std::string& folder) {
  const TokenizedSplit split = small_split(90, 5);
  Model model = make_model(small_model("budget"));
  const CheckpointFolder checkpoints(folder);
  TrainingEvents events;
  events.save_every = 7;
  events.save = [&](const TrainingState& state) { checkpoints.save({state, "the run", 4321}); };
  events.stop = [&, asked = 0]() mutable { return ++asked == 18; };
  CHECK_THROWS_AS(fit(model, split, split, small_training(3), events), TrainingStopped);
  return *checkpoints.newest([](const std::string& why) { FAIL(why); });
}

bool same(const NamedTensors& a, const NamedTensors& b) {
  if (a.size() != b.size()) return false;
  for (Index i = 0; i < a.size(); ++i) {
    if (a[i].first != b[i].first || !same_bits(a[i].second, b[i].second)) return false;
  }
  return true;
}

Checkpoint at_step(Index step) {
  Checkpoint checkpoint;
  checkpoint.state.trainer.step = step;
  checkpoint.state.weights.emplace_back("w", seeded_tensor({3, 4}, step));
  return checkpoint;
}

std::string load_error(const std::string& path) {
  return error_text<std::runtime_error>([&] { load_checkpoint(path); });
}

}  // namespace

TEST_CASE("checkpoint: everything comes back, bit for bit") {
  const TempFolder folder;
  Checkpoint before = small_checkpoint(folder.path("checkpoint"));
  CHECK(before.state.trainer.step == 17);
  CHECK(before.state.trainer.sums.examples == 34);
  CHECK(before.state.optimizer_steps == 17);
  CHECK(before.state.epochs.size() == 1);
  CHECK(before.state.best_weights.size() == before.state.weights.size());
  before.state.epochs.push_back(before.state.epochs[0]);
  before.state.epochs[1].epoch = 2;
  before.state.trainer.sums.loss = 0.1 + 0.2;
  before.state.without_gradient = {"a \"quoted\" name"};
  EpochSums& sums = before.state.trainer.sums;
  sums.skipped = 3, sums.loss_spikes = 4, sums.first_spike = 15;
  sums.without_gradient = {"x", "y"};
  before.state.trainer.skips = {.total = 6, .in_a_row = 2};
  before.state.trainer.loss_level = {.losses = {0.1 + 0.2, 1e-300}, .high = true};
  before.state.epoch_energy = {
      .joules = 0.3, .gco2 = 1e-7, .cpu_seconds = 1.0 / 3, .source = "a meter"};
  Tensor& odd = before.state.weights[0].second;
  odd[0] = std::numeric_limits<Real>::quiet_NaN(), odd[1] = -Real(0);
  odd[2] = std::numeric_limits<Real>::denorm_min();
  const std::string path = folder.path("step-17.safetensors");
  save_checkpoint(path, before);
  const Checkpoint after = load_checkpoint(path);
  CHECK(after.run == "the run");
  CHECK(after.metrics_bytes == 4321);
  CHECK(after.state.trainer.step == 17);
  CHECK(after.state.optimizer_steps == 17);
  CHECK(after.state.trainer.sums.examples == before.state.trainer.sums.examples);
  CHECK(after.state.trainer.sums.loss == before.state.trainer.sums.loss);
  CHECK(after.state.trainer.sums.policy_loss == before.state.trainer.sums.policy_loss);
  CHECK(after.state.trainer.sums.seconds == before.state.trainer.sums.seconds);
  CHECK(after.state.without_gradient == before.state.without_gradient);
  const TrainerState& trainer = after.state.trainer;
  CHECK(trainer.sums.skipped == 3);
  CHECK(trainer.sums.loss_spikes == 4);
  CHECK(trainer.sums.first_spike == 15);
  CHECK(trainer.sums.without_gradient == std::vector<std::string>{"x", "y"});
  CHECK(trainer.skips.total == 6);
  CHECK(trainer.skips.in_a_row == 2);
  CHECK(trainer.loss_level.losses == std::vector<double>{0.1 + 0.2, 1e-300});
  CHECK(trainer.loss_level.high);
  CHECK(to_json(after.state.epoch_energy) == to_json(before.state.epoch_energy));
  REQUIRE(after.state.epochs.size() == 2);
  CHECK(to_json(after.state.epochs[0]) == to_json(before.state.epochs[0]));
  CHECK(to_json(after.state.epochs[1]) == to_json(before.state.epochs[1]));
  CHECK(same(after.state.weights, before.state.weights));
  CHECK(same(after.state.first_moments, before.state.first_moments));
  CHECK(same(after.state.second_moments, before.state.second_moments));
  CHECK(same(after.state.best_weights, before.state.best_weights));
  CHECK_FALSE(same(after.state.weights, before.state.best_weights));
  CHECK_FALSE(same(after.state.first_moments, before.state.second_moments));
}

TEST_CASE("checkpoint: a run goes on from its file to the same bits") {
  const TempFolder folder;
  const TokenizedSplit split = small_split(90, 5);
  Model whole = make_model(small_model("budget"));
  fit(whole, split, split, small_training(3));
  const Checkpoint checkpoint = small_checkpoint(folder.path("checkpoint"));
  Model rest = make_model(small_model("budget"));
  fit(rest, split, split, small_training(3), {}, &checkpoint.state);
  CHECK(weights_of(rest) == weights_of(whole));
}

TEST_CASE("checkpoint: its name is on the disk before an older one goes") {
  const TempFolder temporary;
  const std::string real = fs::canonical(temporary.path());
  const CheckpointFolder folder(temporary.path("checkpoint"));
  std::vector<std::string> synced;
  const SyncHook hook([&](const std::string& what) {
    synced.push_back(what.substr(real.size()));
    const Index saved = static_cast<Index>(
        std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
    CHECK(saved == synced.size() / 2);
    return 0;
  });
  for (Index step = 1; step <= 3; ++step) folder.save(at_step(step));
  CHECK(synced == std::vector<std::string>{"", "/checkpoint/step-1.safetensors.tmp0", "/checkpoint",
                                           "/checkpoint/step-2.safetensors.tmp0", "/checkpoint",
                                           "/checkpoint/step-3.safetensors.tmp0", "/checkpoint"});
}

TEST_CASE("checkpoint: the two newest are kept, by step and not by name") {
  const TempFolder temporary;
  const CheckpointFolder folder(temporary.path("checkpoint"));
  CHECK_FALSE(folder.newest({}).has_value());
  CHECK(folder.newest_text() == "no checkpoint has been made yet");
  for (const Index step : Sizes{8, 9, 10, 100}) folder.save(at_step(step));
  temporary.write("checkpoint/step-x.safetensors", "not one of ours");
  temporary.write("checkpoint/step-200.safetensors.tmp0", "half of one");
  CHECK(folder.newest({})->state.trainer.step == 100);
  CHECK(folder.newest_text() ==
        "the last good checkpoint is " + folder.path() + "/step-100.safetensors (step 100)");
  CHECK(fs::exists(folder.path() + "/step-10.safetensors"));
  CHECK_FALSE(fs::exists(folder.path() + "/step-9.safetensors"));
  CHECK_FALSE(fs::exists(folder.path() + "/step-8.safetensors"));
  folder.remove();  // but for what is not ours
  CHECK_FALSE(fs::exists(folder.path() + "/step-100.safetensors"));
  CHECK_FALSE(fs::exists(folder.path() + "/step-200.safetensors.tmp0"));
  CHECK(fs::exists(folder.path() + "/step-x.safetensors"));
  fs::remove(folder.path() + "/step-x.safetensors");
  fs::create_directory(folder.path() + "/step-300.safetensors");
  CHECK(folder.newest_text() == "no checkpoint has been made yet");
  fs::remove(folder.path() + "/step-300.safetensors");
  folder.remove();
  CHECK_FALSE(fs::exists(folder.path()));
}

TEST_CASE("checkpoint: a file that holds another step than its name is damaged") {
  const TempFolder temporary;
  const CheckpointFolder folder(temporary.path("checkpoint"));
  folder.save(at_step(3));
  folder.save(at_step(4));
  const std::string wrong = folder.path() + "/step-900.safetensors";
  fs::rename(folder.path() + "/step-4.safetensors", wrong);
  std::string notes;
  CHECK(folder.newest([&](const std::string& note) { notes += note; })->state.trainer.step == 3);
  CHECK(notes == "load: checkpoint \"" + wrong + "\": it holds step 4; the one before it is taken");
  CHECK_FALSE(fs::exists(wrong));
}

TEST_CASE("checkpoint: one that may not be read is not taken for damaged") {
  const TempFolder temporary;
  const CheckpointFolder folder(temporary.path("checkpoint"));
  folder.save(at_step(3));
  folder.save(at_step(4));
  const std::string file = folder.path() + "/step-4.safetensors";
  fs::permissions(file, fs::perms::none);
  // Root may read everything.
  for (const std::string& path : {temporary.path(), folder.path()}) {
    fs::permissions(path, fs::perms{0755});
  }
  const uid_t me = geteuid();
  if (me == 0 && seteuid(65534) != 0) return;
  std::string error;
  try {
    folder.newest([](const std::string&) {});
  } catch (const std::exception& refused) {
    error = refused.what();
  }
  REQUIRE(seteuid(me) == 0);
  CHECK(error == "load: checkpoint \"" + file + "\": cannot open: Permission denied");
  CHECK(fs::exists(file));
}

TEST_CASE("checkpoint: in place of a damaged one the one before it is taken, with a note") {
  const TempFolder temporary;
  const CheckpointFolder folder(temporary.path("checkpoint"));
  folder.save(at_step(1));
  folder.save(at_step(2));
  const std::string newest = folder.path() + "/step-2.safetensors";
  const std::string whole = content(newest);
  std::vector<std::string> notes;
  const auto note = [&](const std::string& text) { notes.push_back(text); };
  temporary.write("checkpoint/step-2.safetensors", whole.substr(0, whole.size() - 7));
  CHECK(folder.newest(note)->state.trainer.step == 1);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].starts_with("load: \"" + newest + "\": "));
  CHECK(notes[0].ends_with("; the one before it is taken"));
  temporary.write("checkpoint/step-2.safetensors", "");
  temporary.write("checkpoint/step-1.safetensors", "");
  const std::string text = error_text<std::runtime_error>([&] { folder.newest(note); });
  CHECK(text == "load: \"" + folder.path() +
                    "/step-1.safetensors\": the file of 0 bytes is too short for a header length "
                    "of 8; no other checkpoint is left: remove " +
                    folder.path() + " to begin again");
  CHECK(fs::exists(newest));  // nothing is removed when nothing is left
}

TEST_CASE("checkpoint: a damaged one is not kept in place of one that can be read") {
  const TempFolder temporary;
  const CheckpointFolder folder(temporary.path("checkpoint"));
  folder.save(at_step(6));
  temporary.write("checkpoint/step-7.safetensors", "damaged");
  temporary.write("checkpoint/step-9.safetensors", "damaged");
  CHECK(folder.newest([](const std::string&) {})->state.trainer.step == 6);
  folder.save(at_step(8));
  // The power goes, and the newest is damaged again.
  temporary.write("checkpoint/step-8.safetensors", "damaged");
  CHECK(folder.newest([](const std::string&) {})->state.trainer.step == 6);
}

TEST_CASE("checkpoint: a folder that cannot be read is an error, not one without checkpoints") {
  const TempFolder temporary;
  const CheckpointFolder folder(temporary.write("checkpoint", "a file"));
  const std::string text = folder.path() + ": cannot read the checkpoints: Not a directory";
  CHECK(error_text<std::runtime_error>([&] { folder.newest({}); }) == text);
  CHECK(folder.newest_text() == text);
}

TEST_CASE("checkpoint: no changed byte stays unseen") {
  const TempFolder folder;
  const std::string path = folder.path("file");
  save_checkpoint(path, at_step(5));
  const std::string whole = content(path);
  for (Index i = 0; i < whole.size(); ++i) {
    CAPTURE(i);
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    folder.write("file", damaged);
    // A space of the header that becomes '!' or a digit that moves a range is found as well.
    CHECK(load_error(path).starts_with("load: "));
  }
  for (Index length = 0; length < whole.size(); ++length) {
    folder.write("file", whole.substr(0, length));
    CHECK(load_error(path).starts_with("load: "));
  }
}

TEST_CASE("checkpoint: what is wrong with a file is said") {
  const TempFolder folder;
  const std::string path = folder.path("file"), start = "load: checkpoint \"" + path + "\": ";
  save_safetensors(path, {}, {{"other", "1"}});
  CHECK(load_error(path) == start + "the metadata has no \"state\"");
  save_safetensors(path, {}, {{"state", "{}"}});
  CHECK(load_error(path) == start + "the metadata has no \"crc32\"");
  save_safetensors(path, {}, {{"state", "{}"}, {"crc32", "00000000"}});
  CHECK(load_error(path) == start + "its contents have the checksum a3a6bf43, not 00000000");
  // zlib's crc32 of the two characters, as python3 -c 'import zlib; print(hex(zlib.crc32(b"{}")))'
  save_safetensors(path, {}, {{"state", "{}"}, {"crc32", "a3a6bf43"}});
  CHECK(load_error(path) == start + "its state is not that of a checkpoint");
  // An earlier version did not keep the energy of the epoch under way: it is not taken for none.
  const std::string old = "{\"format\": 1}";
  std::ostringstream sum;
  sum << std::hex << std::setfill('0') << std::setw(8)
      << crc32(0, reinterpret_cast<const Bytef*>(old.data()), static_cast<uInt>(old.size()));
  save_safetensors(path, {}, {{"state", old}, {"crc32", sum.str()}});
  CHECK(load_error(path) == start + "its format is 1, not 2 or 3");
  // A run of the version before goes on.
  Checkpoint before;
  before.state.trainer.step = 12;
  save_checkpoint(path, before);
  std::string state = load_safetensors(path).metadata.at("state");
  state.replace(state.find("\"format\":3"), 10, "\"format\":2");
  sum.str("");
  sum << std::setw(8)
      << crc32(0, reinterpret_cast<const Bytef*>(state.data()), static_cast<uInt>(state.size()));
  save_safetensors(path, {}, {{"state", state}, {"crc32", sum.str()}});
  CHECK(load_checkpoint(path).state.trainer.step == 12);
}

TEST_CASE("checkpoint: a state that could not be read back is not written") {
  const TempFolder folder;
  Checkpoint checkpoint;
  checkpoint.state.trainer.loss_level.losses.resize(4'000'001);
  const std::string path = folder.path("step-0.safetensors");
  CHECK(error_text<std::runtime_error>([&] { save_checkpoint(path, checkpoint); }) ==
        "save: checkpoint \"" + path +
            "\": its state has more than 4000000 values, which no reader would take");
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("checkpoint: a full disk is one error and leaves the checkpoint before") {
  const TempFolder temporary;
  const CheckpointFolder folder(temporary.path("checkpoint"));
  folder.save(at_step(1));
  Checkpoint large = at_step(2);
  large.state.weights[0].second = Tensor::zeros({100, 100});
  std::string text;
  {
    const FileSizeLimit limit(4096);
    text = error_text<std::runtime_error>([&] { folder.save(large); });
  }
  CHECK(text == "save: \"" + folder.path() + "/step-2.safetensors\": cannot write: File too large");
  CHECK(folder.newest([](const std::string& why) { FAIL(why); })->state.trainer.step == 1);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("checkpoint: a number of the wrong kind is named, not bent into shape") {
  const TempFolder folder;
  const std::string path = folder.path("file");
  for (const char* value : {"-1", "true", "0.5", "1e30", "\"x\""}) {
    const std::string state = join_parts(R"({"format":3,"run":"r","metrics_bytes":)", value, '}');
    uLong sum = crc32(0, nullptr, 0);
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(state.data()), state.size());
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08lx", sum);
    save_safetensors(path, {}, {{"state", state}, {"crc32", digits}});
    CHECK(load_error(path) ==
          "load: checkpoint \"" + path + "\": its \"metrics_bytes\" is not of the right type");
  }
}
