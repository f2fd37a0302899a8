#include "nn/safetensors.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <type_traits>

#include "nn/atomic_file.h"
#include "nn/json_text.h"
#include "tensor/printable.h"
#include "tensor/require.h"

namespace bf {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "the format stores little-endian values");

constexpr const char* metadata_key = "__metadata__";
constexpr Index length_bytes = 8, largest_header = 100'000'000;

/// What the header says of one tensor.
struct Entry {
  std::string name;
  Shape shape;
  Index value_bytes, begin, end;
};

Shape shape_of(const std::vector<Index>& n) {
  switch (n.size()) {
    case 0:
      return {};
    case 1:
      return {n[0]};
    case 2:
      return {n[0], n[1]};
    case 3:
      return {n[0], n[1], n[2]};
    default:
      return {n[0], n[1], n[2], n[3]};
  }
}

std::string quoted(const std::string& text) { return Json(text).dump(); }

/// A text from a file, for a message.
std::string shown(const std::string& text) { return '"' + shortened(text) + '"'; }

std::string header_text(const NamedTensors& tensors, const Metadata& metadata) {
  std::set<std::string> names;
  std::string text = join_parts('{', quoted(metadata_key), ':', Json(metadata).dump());
  Index begin = 0;
  for (const auto& [name, tensor] : tensors) {
    require(tensor.defined(), "save: tensor \"", name, "\" is undefined");
    require(name != metadata_key && names.insert(name).second, "save: the name \"", name,
            "\" is taken");
    std::vector<Index> shape;
    for (Index axis = 0; axis < tensor.rank(); ++axis) shape.push_back(tensor.dim(axis));
    const Index end = begin + tensor.size() * sizeof(Real);
    const Json entry = {{"dtype", real_is_double ? "F64" : "F32"},
                        {"shape", shape},
                        {"data_offsets", {begin, end}}};
    text += join_parts(',', quoted(name), ':', entry.dump());
    begin = end;
  }
  text += "}";
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the values are aligned when mapped
  return text;
}

/// Reads and checks one file; every fault is reported with its name.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    // A pipe would be waited for.
    const bool usual = std::filesystem::is_regular_file(status) ||
                       std::filesystem::is_directory(status) || !std::filesystem::exists(status);
    check(usual, "is not a regular file");
    stream_.open(path, std::ios::binary);
    check(stream_.is_open(), "cannot open: ", std::strerror(errno));
    file_bytes_ = std::filesystem::file_size(path, error);
    check(!error, "cannot read: ", error.message());
  }

  SafetensorsFile read() {
    const Json header = read_header();
    SafetensorsFile file;
    std::vector<Entry> entries;
    for (const auto& [name, value] : header.items()) {
      if (name == metadata_key) {
        file.metadata = metadata_of(value);
      } else {
        entries.push_back(entry_of(name, value));
      }
    }
    check_cover(entries);
    for (const Entry& entry : entries) file.tensors.emplace_back(entry.name, values_of(entry));
    return file;
  }

 private:
  template <typename... Parts>
  void check(bool condition, const Parts&... parts) const {
    require_data(condition, "load: \"", path_, "\": ", parts...);
  }

  void read_bytes(void* into, Index bytes) {
    stream_.read(static_cast<char*>(into), static_cast<std::streamsize>(bytes));
    check(static_cast<Index>(stream_.gcount()) == bytes, "cannot read ", bytes, " bytes");
  }

  Json read_header() {
    check(file_bytes_ >= length_bytes, "the file of ", file_bytes_,
          " bytes is too short for a header length of 8");
    std::uint64_t length = 0;
    read_bytes(&length, length_bytes);
    check(length <= file_bytes_ - length_bytes, "header length ", length, " exceeds the file of ",
          file_bytes_, " bytes");
    check(length <= largest_header, "header length ", length, " exceeds the limit of ",
          largest_header, " bytes");
    buffer_bytes_ = file_bytes_ - length_bytes - length;
    std::string text(length, '\0');
    read_bytes(text.data(), length);
    check(!text.empty() && text.front() == '{', "the header does not begin with {");
    return parse(text);
  }

  /// JSON itself lets a key come twice, and the last one would win unseen.
  Json parse(const std::string& text) const {
    std::vector<std::set<std::string>> keys;
    const auto watch = [&](int, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::object_start) keys.emplace_back();
      if (event == Json::parse_event_t::object_end) keys.pop_back();
      if (event == Json::parse_event_t::key) {
        check(keys.back().insert(value.get<std::string>()).second, "duplicate key ",
              shown(value.get<std::string>()));
      }
      return true;
    };
    check(json_within_limits(text), "the header nests deeper than ", deepest_json,
          " or holds more than ", most_json_values, " values");
    try {
      return Json::parse(text, watch);
    } catch (const Json::parse_error& error) {
      check(false, "the header is not JSON: fault at byte ", error.byte);
      throw;
    } catch (const Json::out_of_range&) {
      check(false, "the header holds a number that is too large");
      throw;
    }
  }

  Metadata metadata_of(const Json& value) const {
    check(value.is_object(), metadata_key, " is not an object");
    Metadata metadata;
    for (const auto& [name, text] : value.items()) {
      check(text.is_string(), metadata_key, " holds ", shown(name), ", which is not a string");
      metadata[name] = text.get<std::string>();
    }
    return metadata;
  }

  Entry entry_of(const std::string& name, const Json& value) const {
    const std::string subject = "tensor " + shown(name);
    check(value.is_object() && value.contains("dtype") && value["dtype"].is_string(), subject,
          " has no dtype");
    const std::string dtype = value["dtype"];
    check(dtype == "F32" || dtype == "F64", subject, " has dtype ", shown(dtype),
          "; F32 and F64 can be read");
    const std::vector<Index> shape = numbers_of(subject, value, "shape");
    check(shape.size() <= Shape::max_rank, subject, " has rank ", shape.size(), ", more than ",
          Shape::max_rank);
    const std::vector<Index> range = numbers_of(subject, value, "data_offsets");
    check(range.size() == 2, subject, " has ", range.size(), " data_offsets, not 2");
    const Index value_bytes = dtype == "F32" ? 4 : 8, begin = range[0], end = range[1];
    check(begin <= end && end <= buffer_bytes_, subject, " has range ", begin, " to ", end,
          " in a buffer of ", buffer_bytes_, " bytes");
    check(bytes_of(shape, value_bytes) == end - begin, subject, " of shape ", Json(shape).dump(),
          " and dtype ", dtype, " does not fill its range of ", end - begin, " bytes");
    return {name, shape_of(shape), value_bytes, begin, end};
  }

  std::vector<Index> numbers_of(const std::string& subject, const Json& value,
                                const char* key) const {
    std::vector<Index> numbers;
    bool right = value.contains(key) && value[key].is_array();
    for (Index i = 0; right && i < value[key].size(); ++i) {
      right = value[key][i].is_number_unsigned();
      if (right) numbers.push_back(value[key][i]);
    }
    check(right, subject, " needs ", key, " of non-negative whole numbers");
    return numbers;
  }

  /// The product, or the largest number where it does not fit.
  static Index bytes_of(const std::vector<Index>& shape, Index value_bytes) {
    if (std::find(shape.begin(), shape.end(), Index{0}) != shape.end()) return 0;
    Index bytes = value_bytes;
    for (const Index extent : shape) {
      if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::numeric_limits<Index>::max();
    }
    return bytes;
  }

  /// Sorts the entries by range; each has to begin where the one before ends.
  void check_cover(std::vector<Entry>& entries) const {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    Index covered = 0;
    for (const Entry& entry : entries) {
      check(entry.begin >= covered, "tensor ", shown(entry.name), " begins at ", entry.begin,
            ", inside a tensor that ends at ", covered);
      check(entry.begin == covered, "no tensor owns bytes ", covered, " to ", entry.begin);
      covered = entry.end;
    }
    check(covered == buffer_bytes_, "no tensor owns bytes ", covered, " to ", buffer_bytes_);
  }

  /// The entries come in the order of their bytes, so the stream only moves forward.
  Tensor values_of(const Entry& entry) {
    Tensor values(entry.shape);
    if (entry.value_bytes == sizeof(Real)) {
      read_bytes(values.data(), entry.end - entry.begin);
    } else {
      using Other = std::conditional_t<real_is_double, float, double>;
      std::vector<Other> stored(values.size());
      read_bytes(stored.data(), entry.end - entry.begin);
      std::transform(stored.begin(), stored.end(), values.data(),
                     [](Other value) { return static_cast<Real>(value); });
    }
    return values;
  }

  const std::string& path_;
  std::ifstream stream_;
  Index file_bytes_ = 0, buffer_bytes_ = 0;
};

}  // namespace

void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata) {
  std::string header;
  try {
    header = header_text(tensors, metadata);
  } catch (const Json::type_error&) {
    require(false, "save: \"", path, "\": a name or metadata is not UTF-8");
  }
  require_data(header.size() <= largest_header && json_within_limits(header), "save: \"", path,
               "\": no reader would take its header of ", header.size(), " bytes, of at most ",
               largest_header, " bytes and ", most_json_values, " values");
  const std::uint64_t length = header.size();
  AtomicFile file(path);
  file.write(&length, length_bytes);
  file.write(header);
  for (const auto& [name, tensor] : tensors)
    file.write(tensor.data(), tensor.size() * sizeof(Real));
  file.commit();
}

SafetensorsFile load_safetensors(const std::string& path) { return Reader(path).read(); }

void save_parameters(Module& module, const std::string& path, const Metadata& metadata) {
  NamedTensors tensors;
  for (const NamedParameter& parameter : module.named_parameters()) {
    tensors.emplace_back(parameter.name, parameter.variable->value());
  }
  save_safetensors(path, tensors, metadata);
}

void load_parameters(Module& module, const SafetensorsFile& file, const std::string& path) {
  const std::string subject = "load: checkpoint \"" + path + '"';
  std::map<std::string, const Tensor*> stored;
  for (const auto& [name, tensor] : file.tensors) stored[name] = &tensor;
  const auto parameters = module.named_parameters();
  std::set<std::string> expected;
  for (const NamedParameter& parameter : parameters) {
    const auto found = stored.find(parameter.name);
    require_data(found != stored.end(), subject, " lacks \"", parameter.name, "\" of the model");
    const Shape& shape = parameter.variable->shape();
    require_data(found->second->shape() == shape, subject, " has \"", parameter.name, "\" ",
                 found->second->shape(), ", the model expects ", shape);
    expected.insert(parameter.name);
  }
  for (const auto& [name, tensor] : file.tensors) {
    require_data(expected.count(name) == 1, subject, " has \"", shortened(name),
                 "\", which the model does not");
  }
  for (const NamedParameter& parameter : parameters) {
    const Tensor& from = *stored[parameter.name];
    std::copy_n(from.data(), from.size(), parameter.variable->mutable_value().data());
  }
}

}  // namespace bf
