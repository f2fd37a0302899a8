#pragma once

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/tape.h"
#include "nn/module.h"
#include "tensor/require.h"
#include "tests/golden_folder.h"
#include "tests/values.h"

namespace bf {

// The promise that results never depend on the number of threads, for every operation: a table of
// them, and a check that no unit and no function is missing from it.

/// The bytes of what a computation gave, by name.
class Bits {
 public:
  /// An undefined tensor (no gradient has arrived) counts as one without values.
  void add(const std::string& name, const Tensor& tensor) {
    add(name, tensor.data(), tensor.size() * sizeof(Real));
  }
  template <typename T>
  void add(const std::string& name, const std::vector<T>& values) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    add(name, values.data(), values.size() * sizeof(T));
  }
  void add(const std::string& name, double value) { add(name, &value, sizeof value); }

  /// The first result that `other` has not or has with other bits; empty when there is none.
  std::string difference(const Bits& other) const {
    for (Index i = 0; i < results_.size(); ++i) {
      if (i == other.results_.size() || results_[i] != other.results_[i]) return results_[i].first;
    }
    return results_.size() == other.results_.size() ? "" : "the number of results";
  }
  bool empty() const { return results_.empty(); }

 private:
  void add(const std::string& name, const void* data, Index bytes) {
    results_.emplace_back(name, std::string(static_cast<const char*>(data), bytes));
  }

  std::vector<std::pair<std::string, std::string>> results_;
};

/// Runs `body` with 1, 2, 3 and 8 threads; says which result has other bits than with one.
inline std::string thread_fault(const std::function<Bits()>& body) {
  Bits first;
  for (const Index count : Sizes{1, 2, 3, 8}) {
    const ThreadsGuard guard(count);
    const Bits bits = body();
    if (bits.empty()) return "there is no result";
    if (count == 1) first = bits;
    const std::string name = first.difference(bits);
    if (!name.empty()) return join_parts(count, " threads: other bits in ", name);
  }
  return "";
}

using OperationBody = std::function<Variable()>;

/// Value of an operation in and outside the tape, and the gradients of its leaves over two passes,
/// so that adding in place is seen as well.
inline Bits operation_bits(const OperationBody& f,
                           std::vector<std::pair<std::string, Variable>> leaves) {
  Bits bits;
  for (auto& [name, leaf] : leaves) leaf.zero_grad();
  for (int pass = 0; pass < 2; ++pass) {
    const Variable y = f();
    bits.add("the value", y.value());
    backward(y, normal_tensor(y.shape(), 0, 1, {7, 7}));
  }
  for (auto& [name, leaf] : leaves) {
    bits.add("the gradient of " + name, leaf.grad());
    leaf.zero_grad();
  }
  const NoGrad no_grad;
  bits.add("the value outside the tape", f().value());
  return bits;
}

inline Bits operation_bits(const std::function<Variable(const std::vector<Variable>&)>& f,
                           const std::vector<Variable>& inputs) {
  std::vector<std::pair<std::string, Variable>> leaves;
  for (Index i = 0; i < inputs.size(); ++i) {
    leaves.emplace_back("input " + std::to_string(i), inputs[i]);
  }
  return operation_bits([&] { return f(inputs); }, leaves);
}

/// The same of a module and its input.
inline Bits module_bits(Module& module, const Variable& input, const OperationBody& f) {
  std::vector<std::pair<std::string, Variable>> leaves;
  if (input.needs_grad()) leaves.emplace_back("the input", input);
  for (const NamedParameter& p : module.named_parameters()) {
    leaves.emplace_back(p.name, *p.variable);
  }
  return operation_bits(f, leaves);
}

/// One function of a unit, driven at one size, [rows, cols]. The names are those of functions.
struct ThreadCase {
  std::string unit, functions;
  std::function<Bits(Index rows, Index cols)> run;
};
using ThreadTable = std::vector<ThreadCase>;
/// Units that have nothing to split, and why.
using ThreadExemptions = std::map<std::string, std::string>;

using OddSizes = std::vector<std::pair<Index, Index>>;
/// From a single value to enough for several blocks along either side; narrower for whole layers.
inline const OddSizes odd_sizes{{1, 1}, {3, 17}, {129, 3}, {17, 1031}, {1031, 129}};
inline const OddSizes odd_layers{{1, 1}, {3, 17}, {17, 129}, {1031, 33}};

/// Lengths that add up to `tokens`: 1, 3, 17, 129, 1, 3, ...
inline std::vector<Index> odd_lengths(Index tokens) {
  std::vector<Index> lengths;
  for (Index next = 0; tokens > 0; next = (next + 1) % 4) {
    lengths.push_back(std::min(tokens, std::vector<Index>{1, 3, 17, 129}[next]));
    tokens -= lengths.back();
  }
  return lengths;
}

inline std::string table_fault(const ThreadTable& table, const OddSizes& sizes = odd_sizes) {
  for (const ThreadCase& one : table) {
    for (const auto& size : sizes) {
      const Index rows = size.first, cols = size.second;
      const std::string fault = thread_fault([&] { return one.run(rows, cols); });
      if (!fault.empty()) {
        return join_parts(one.unit, ' ', one.functions, " at [", rows, ", ", cols, "], ", fault);
      }
    }
  }
  return "";
}

/// The words of a text.
inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// The text of a source file; empty when there is none.
inline std::string source_text(const std::string& path) {
  std::ifstream file(std::string(golden_folder) + "/../../" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A function at the left margin of a source file, and the text from its name to the next one's.
struct SourceFunction {
  std::string line, name, text;
};

inline std::vector<SourceFunction> functions_in(const std::string& source) {
  const auto in_name = [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_';
  };
  std::istringstream lines(source);
  std::vector<SourceFunction> functions;
  for (std::string line; std::getline(lines, line);) {
    const Index open = std::min(line.find('('), line.size());
    Index first = open;
    while (first > 0 && in_name(line[first - 1])) --first;
    // Something stands before the name: the result's type.
    if (open < line.size() && first > 0 && first < open && in_name(line[0])) {
      functions.push_back({line, line.substr(first, open - first), ""});
    }
    if (!functions.empty()) functions.back().text += line + '\n';
  }
  return functions;
}

/// The functions of a source file that split their work over threads, themselves or by way of
/// others in the file, and the calls that do it.
inline std::set<std::string> splitting_functions(const std::string& source) {
  std::set<std::string> splitting{"parallel_for", "blocked_sum", "over_values", "over_rows",
                                  "over_sequences"};
  const std::vector<SourceFunction> functions = functions_in(source);
  for (Index known = 0; known != splitting.size();) {
    known = splitting.size();
    for (const SourceFunction& function : functions) {
      for (const std::string& name : splitting) {
        if (function.text.find(name + "(") == std::string::npos) continue;
        splitting.insert(function.name);
        break;
      }
    }
  }
  return splitting;
}

/// What the table of a folder lacks: a unit of the build's list that is neither driven nor exempt,
/// a function of its header that returns a Variable or a Tensor or splits its work, or the reason
/// why a unit that splits its work is exempt.
inline std::string missing_in(const ThreadTable& table, const ThreadExemptions& exempt,
                              const std::string& folder, const std::string& units) {
  for (const std::string& unit : words_of(units)) {
    std::string functions;
    for (const ThreadCase& one : table) {
      if (one.unit == unit) functions += " " + one.functions;
    }
    const std::string path = folder + "/" + unit, source = source_text(path + ".cpp");
    if (source.empty()) return path + ".cpp cannot be read";
    if (!functions.empty()) {
      const std::vector<std::string> driven = words_of(functions);
      const std::set<std::string> splitting = splitting_functions(source);
      for (const auto& [line, name, text] : functions_in(source_text(path + ".h"))) {
        const bool result = line.starts_with("Variable ") || line.starts_with("Tensor ");
        if (!result && splitting.count(name) == 0) continue;
        if (std::find(driven.begin(), driven.end(), name) == driven.end())
          return path + ": " + name;
      }
      continue;
    }
    if (exempt.count(unit) == 0) return path + ": no function of it";
    for (const std::string& call : splitting_functions("")) {
      if (source.find(call + "(") != std::string::npos) return path + " calls " + call + "(...)";
    }
  }
  return "";
}

}  // namespace bf
