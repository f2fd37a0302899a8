// A checkpoint: a file of any kind, or a right one around any state, which a checksum would hide.

#include "train/checkpoint.h"

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz.h"

namespace bf::fuzz {
namespace {

/// A checkpoint without tensors whose state is `state`.
std::string file_around(const std::string& state) {
  char sum[9];
  const auto* text = reinterpret_cast<const Bytef*>(state.data());
  std::snprintf(sum, sizeof sum, "%08lx",
                crc32_z(crc32(0, nullptr, 0), text, state.size()) & 0xffffffffUL);
  const nlohmann::json header = {{"__metadata__", {{"state", state}, {"crc32", sum}}}};
  const std::string head = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::uint64_t length = head.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + head;
}

}  // namespace

void checkpoint(std::string_view bytes) {
  const bool state = choice(bytes, 2) == 1;
  const std::string path = memory_file(state ? file_around(std::string(bytes)) : bytes);
  Checkpoint read;
  if (!refused_well("load: ", [&] { read = load_checkpoint(path); })) return;
  const std::string copy = folder_of("checkpoint") + "/copy";
  save_checkpoint(copy, read);
  const Checkpoint again = load_checkpoint(copy);
  expect(again.run == read.run && again.metrics_bytes == read.metrics_bytes &&
             again.state.trainer.step == read.state.trainer.step &&
             again.state.epochs.size() == read.state.epochs.size(),
         "another checkpoint comes back");
}

}  // namespace bf::fuzz
