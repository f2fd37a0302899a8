#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "nn/linear.h"
#include "nn/safetensors.h"
#include "tensor/require.h"
#include "tests/memory_limit.h"
#include "tests/temp_folder.h"
#include "tests/values.h"

using namespace bf;

namespace {

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A file made by hand: length, header, `buffer_bytes` bytes.
std::string file_text(const std::string& header, Index buffer_bytes) {
  std::string text(8, '\0');
  for (Index i = 0; i < 8; ++i) text[i] = static_cast<char>(header.size() >> (8 * i) & 255);
  return text + header + std::string(buffer_bytes, '\0');
}

/// What loading such a file says, without the leading `load: "FILE": `.
std::string fault(const std::string& text) {
  const TempFolder folder;
  const std::string path = folder.write("file", text);
  const std::string error = error_text<std::runtime_error>([&] { load_safetensors(path); });
  const std::string start = "load: \"" + path + "\": ";
  if (error.empty()) return "loads";
  CHECK(error.substr(0, start.size()) == start);
  CHECK(error.find('\n') == std::string::npos);
  return error.substr(start.size());
}

std::string fault(const std::string& header, Index buffer_bytes) {
  return fault(file_text(header, buffer_bytes));
}

std::string entry(const std::string& name, const std::string& shape, Index begin, Index end,
                  const std::string& dtype = "F32") {
  return join_parts('"', name, "\":{\"dtype\":\"", dtype, "\",\"shape\":", shape,
                    ",\"data_offsets\":[", begin, ',', end, "]}");
}

/// A header of entries.
template <typename... Rest>
std::string header(const std::string& first, const Rest&... rest) {
  return join_parts('{', first, join_parts(',', rest)..., '}');
}

struct Two : Module {
  explicit Two(RandomSource& random, Index out = 3)
      : first(add_module<Linear>("first", 2, 4, random)),
        head(add_module<Linear>("head", 4, out, random)) {}
  Linear &first, &head;
};

std::vector<std::vector<Real>> values_of(Module& module) {
  std::vector<std::vector<Real>> values;
  for (const auto& parameter : module.named_parameters()) {
    values.push_back(parameter.variable->value().to_vector());
  }
  return values;
}

}  // namespace

TEST_CASE("safetensors: what was saved comes back, every rank, in order, with its bits") {
  const TempFolder folder;
  const std::string path = folder.path("file");
  const Real infinity = std::numeric_limits<Real>::infinity();
  const NamedTensors tensors = {{"z", seeded_tensor({3, 5}, 1)},
                                {"scalar", Tensor::scalar(Real(-0.0))},
                                {"empty", Tensor({0, 4})},
                                {"a \"quoted\" \xc3\xa9", seeded_tensor({2, 3, 1, 7}, 2)},
                                {"odd", Tensor::from({2}, {infinity, 1})}};
  const Metadata metadata = {{"config", "{\"dim\": 8}\n"}, {"a", ""}};
  save_safetensors(path, tensors, metadata);
  const SafetensorsFile file = load_safetensors(path);
  CHECK(file.metadata == metadata);
  REQUIRE(file.tensors.size() == tensors.size());
  for (Index i = 0; i < tensors.size(); ++i) {
    CHECK(file.tensors[i].first == tensors[i].first);
    CHECK(same_bits(file.tensors[i].second, tensors[i].second));
  }
  save_safetensors(folder.path("again"), tensors, metadata);
  CHECK(content(path) == content(folder.path("again")));
}

TEST_CASE("safetensors: the bytes are those of the format") {
  const TempFolder folder;
  const std::string path = folder.path("file");
  save_safetensors(path, {{"w", Tensor::from({2}, {1, -2})}}, {{"k", "v"}});
  const std::string bytes = content(path), end = real_is_double ? "16" : "8";
  const std::string expected = "{\"__metadata__\":{\"k\":\"v\"},\"w\":{\"data_offsets\":[0," + end +
                               "],\"dtype\":\"" + (real_is_double ? "F64" : "F32") +
                               "\",\"shape\":[2]}}";
  const Index length = (expected.size() + 7) / 8 * 8;
  CHECK(static_cast<unsigned char>(bytes[0]) == length);
  CHECK(bytes.substr(1, 7) == std::string(7, '\0'));
  CHECK(bytes.substr(8, expected.size()) == expected);
  CHECK(bytes.size() == 8 + length + 2 * sizeof(Real));
  CHECK(bytes.substr(bytes.size() - 4) == std::string("\0\0\0\xc0", 4));  // -2 in either precision
}

TEST_CASE("safetensors: both precisions are read") {
  const TempFolder folder;
  const float single[2] = {0.5f, -3};
  const double twice[1] = {0.25};
  std::string text = file_text(
      header(entry("d", "[1]", 8, 16, "F64"), entry("s", "[2]", 0, 8), "\"__metadata__\":{}"), 0);
  text.append(reinterpret_cast<const char*>(single), 8);
  text.append(reinterpret_cast<const char*>(twice), 8);
  const SafetensorsFile file = load_safetensors(folder.write("file", text));
  REQUIRE(file.tensors.size() == 2);
  CHECK(file.tensors[0].first == "s");
  CHECK(file.tensors[0].second.to_vector() == std::vector<Real>{Real(0.5), -3});
  CHECK(file.tensors[1].second.to_vector() == std::vector<Real>{Real(0.25)});
  CHECK(file.metadata.empty());
}

TEST_CASE("safetensors: empty metadata, no tensors and empty tensors load") {
  CHECK(fault("{\"__metadata__\":{}}", 0) == "loads");
  CHECK(fault("{}", 0) == "loads");
  CHECK(fault(header(entry("a", "[0]", 4, 4), entry("b", "[1]", 0, 4),
                     entry("c", "[18446744073709551615,0,18446744073709551615]", 4, 4)),
              4) == "loads");
}

TEST_CASE("safetensors: a damaged header is refused before anything is allocated") {
  const MemoryLimit limit(32);
  CHECK(limit.holds());
  CHECK(fault("") == "the file of 0 bytes is too short for a header length of 8");
  CHECK(fault("1234567") == "the file of 7 bytes is too short for a header length of 8");
  CHECK(fault(std::string(8, '\xff')) ==
        "header length 18446744073709551615 exceeds the file of 8 bytes");
  CHECK(fault(std::string("\x03\0\0\0\0\0\0\0{}", 10)) ==
        "header length 3 exceeds the file of 10 bytes");
  CHECK(fault(std::string(8, '\0')) == "the header does not begin with {");
  CHECK(fault(" {}", 0) == "the header does not begin with {");
  CHECK(fault("{\"a\":", 0) == "the header is not JSON: fault at byte 6");
  CHECK(fault("{\"\xff\":1}", 0) == "the header is not JSON: fault at byte 3");
  CHECK(fault("{\"a\":1e999}", 0) == "the header holds a number that is too large");
  CHECK(fault("{\"__metadata__\":[]}", 0) == "__metadata__ is not an object");
  CHECK(fault("{\"__metadata__\":{\"k\":1}}", 0) ==
        "__metadata__ holds \"k\", which is not a string");
}

TEST_CASE("safetensors: a header beyond the limit is refused") {
  const TempFolder folder;
  const std::string path = folder.write("file", std::string("\x01\xe1\xf5\x05\0\0\0\0{}", 10));
  std::filesystem::resize_file(path, 200'000'000);  // a hole, not data
  const MemoryLimit limit(32);
  CHECK(error_text<std::runtime_error>([&] { load_safetensors(path); }) ==
        "load: \"" + path + "\": header length 100000001 exceeds the limit of 100000000 bytes");
}

TEST_CASE("safetensors: an entry that does not describe its tensor is refused") {
  CHECK(fault("{\"a\":1}", 0) == "tensor \"a\" has no dtype");
  CHECK(fault(header(entry("a", "[2]", 0, 4, "BF16")), 4) ==
        "tensor \"a\" has dtype \"BF16\"; F32 and F64 can be read");
  CHECK(fault(header(entry("a", "[-1]", 0, 4)), 4) ==
        "tensor \"a\" needs shape of non-negative whole numbers");
  CHECK(fault("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4) ==
        "tensor \"a\" needs data_offsets of non-negative whole numbers");
  CHECK(fault("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,4]}}", 4) ==
        "tensor \"a\" has 3 data_offsets, not 2");
  CHECK(fault(header(entry("a", "[1,1,1,1,1]", 0, 4)), 4) ==
        "tensor \"a\" has rank 5, more than 4");
  CHECK(fault(header(entry("a", "[1]", 8, 4)), 8) ==
        "tensor \"a\" has range 8 to 4 in a buffer of 8 bytes");
  CHECK(fault(header(entry("a", "[4]", 0, 16)), 12) ==
        "tensor \"a\" has range 0 to 16 in a buffer of 12 bytes");
  CHECK(fault(header(entry("a", "[2,3]", 0, 20)), 20) ==
        "tensor \"a\" of shape [2,3] and dtype F32 does not fill its range of 20 bytes");
  CHECK(fault(header(entry("a", "[4611686018427387905]", 0, 4)), 4) ==
        "tensor \"a\" of shape [4611686018427387905] and dtype F32 does not fill its range of 4 "
        "bytes");
}

TEST_CASE("safetensors: the ranges have to cover the buffer exactly once") {
  const std::string a = entry("a", "[2]", 0, 8);
  CHECK(fault(header(a, entry("b", "[2]", 0, 8)), 8) ==
        "tensor \"b\" begins at 0, inside a tensor that ends at 8");
  CHECK(fault(header(a, entry("b", "[2]", 4, 12)), 12) ==
        "tensor \"b\" begins at 4, inside a tensor that ends at 8");
  CHECK(fault(header(a, entry("b", "[1]", 12, 16)), 16) == "no tensor owns bytes 8 to 12");
  CHECK(fault(header(a), 12) == "no tensor owns bytes 8 to 12");
  CHECK(fault(header(a, a), 8) == "duplicate key \"a\"");
  CHECK(fault("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F64\"}}", 8) == "duplicate key \"dtype\"");
}

TEST_CASE("safetensors: a file cut anywhere is refused, and so is no file") {
  const TempFolder folder;
  const std::string path = folder.path("file");
  save_safetensors(path, {{"a", seeded_tensor({7, 9}, 1)}, {"b", seeded_tensor({5}, 2)}});
  const std::string bytes = content(path);
  for (Index length = 0; length < bytes.size(); ++length) {
    CHECK(fault(bytes.substr(0, length)) != "loads");
  }
  CHECK(fault(bytes) == "loads");
  CHECK(error_text<std::runtime_error>([&] { load_safetensors(folder.path("none")); }) ==
        "load: \"" + folder.path("none") + "\": cannot open: No such file or directory");
  CHECK(error_text<std::runtime_error>([&] { load_safetensors(folder.path()); }) ==
        "load: \"" + folder.path() + "\": cannot read: Is a directory");
}

TEST_CASE("safetensors: what cannot be saved is refused and leaves no file") {
  const TempFolder folder;
  const std::string path = folder.path("file");
  const Tensor one = Tensor::scalar(1);
  const auto save_fault = [&](const NamedTensors& tensors, const Metadata& metadata = {}) {
    return error_text<std::invalid_argument>([&] { save_safetensors(path, tensors, metadata); });
  };
  CHECK(save_fault({{"a", one}, {"a", one}}) == "save: the name \"a\" is taken");
  CHECK(save_fault({{"__metadata__", one}}) == "save: the name \"__metadata__\" is taken");
  CHECK(save_fault({{"a", Tensor()}}) == "save: tensor \"a\" is undefined");
  CHECK(save_fault({{"\xff", one}}) == "save: \"" + path + "\": a name or metadata is not UTF-8");
  CHECK(save_fault({}, {{"a", "\xff"}}) ==
        "save: \"" + path + "\": a name or metadata is not UTF-8");
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(error_text<std::runtime_error>([&] { save_safetensors("/no/such/file", {}); }) ==
        "save: \"/no/such/file\": cannot create: No such file or directory");
  const std::string error = error_text<std::runtime_error>([&] {
    save_safetensors(path, {}, {{"a", std::string(100'000'000, 'x')}});
  });
  CHECK(error == "save: \"" + path +
                     "\": no reader would take its header of 100000032 bytes, of at most 100000000 "
                     "bytes and 4000000 values");
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("safetensors: parameters come back by name into the storage they had") {
  const TempFolder folder;
  const std::string path = folder.path("file");
  RandomSource random(1);
  Two saved(random), loaded(random);
  const Tensor view = loaded.head.weight().value();
  save_parameters(saved, path, {{"step", "7"}});
  const SafetensorsFile file = load_safetensors(path);
  REQUIRE(values_of(saved) != values_of(loaded));
  load_parameters(loaded, file, path);
  CHECK(values_of(saved) == values_of(loaded));
  CHECK(same_bits(view, saved.head.weight().value()));
  CHECK(file.metadata.at("step") == "7");
}

TEST_CASE("safetensors: a checkpoint of another model is refused and changes nothing") {
  RandomSource random(1);
  Two model(random);
  const auto before = values_of(model);
  const auto load_fault = [&](const NamedTensors& tensors) {
    const std::string text = error_text<std::runtime_error>([&] {
      load_parameters(model, {tensors, {}}, "run7.bin");
    });
    CHECK(values_of(model) == before);
    return text;
  };
  NamedTensors tensors = {{"first.weight", Tensor::zeros({4, 2})},
                          {"first.bias", Tensor::zeros({4})},
                          {"head.weight", Tensor::zeros({5, 4})},
                          {"head.bias", Tensor::zeros({5})}};
  CHECK(load_fault(tensors) ==
        "load: checkpoint \"run7.bin\" has \"head.weight\" [5, 4], the model expects [3, 4]");
  tensors[2].second = Tensor::zeros({3, 4});
  tensors.pop_back();
  CHECK(load_fault(tensors) == "load: checkpoint \"run7.bin\" lacks \"head.bias\" of the model");
  tensors.emplace_back("head.bias", Tensor::zeros({3}));
  tensors.emplace_back("gate.bias", Tensor::zeros({3}));
  CHECK(load_fault(tensors) ==
        "load: checkpoint \"run7.bin\" has \"gate.bias\", which the model does not");
}
