#include "train/data_hash.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace bf {
namespace {

/// http://www.isthe.com/chongo/tech/comp/fnv
class Fnv {
 public:
  void add(const void* bytes, Index count) {
    const auto* byte = static_cast<const unsigned char*>(bytes);
    for (Index i = 0; i < count; ++i) state_ = (state_ ^ byte[i]) * 0x100000001b3;
  }
  /// With its length in front, so that a border between two parts cannot move unseen.
  template <typename Range>
  void add_range(const Range& range) {
    const std::uint64_t size = range.size();
    add(&size, sizeof size);
    add(range.data(), range.size() * sizeof(*range.data()));
  }
  std::string digits() const {
    constexpr std::string_view all = "0123456789abcdef";
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += all[(state_ >> shift) & 15];
    return text;
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace

std::string data_hash(const TokenizedData& data) {
  Fnv hash;
  for (const std::string& name : data.class_names) hash.add_range(name);
  hash.add_range(data.tokenizer->to_json().dump());
  for (const TokenizedSplit* split : {&data.train, &data.validation, &data.test}) {
    hash.add_range(split->labels);
    for (const auto& tokens : split->tokens) hash.add_range(tokens);
  }
  return hash.digits();
}

std::string weights_hash(Module& net) {
  Fnv hash;
  for (const NamedParameter& p : net.named_parameters()) {
    hash.add_range(p.name);
    hash.add_range(std::span(p.variable->value().data(), p.variable->value().size()));
  }
  return hash.digits();
}

}  // namespace bf
