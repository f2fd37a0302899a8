#pragma once

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "autograd/gradcheck.h"
#include "tensor/allocator.h"
#include "tensor/ids.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tensor/require.h"
#include "tests/golden_folder.h"
#include "tests/values.h"

// Helpers of the tests. They return a text that is empty when all is well, so that
// CHECK(mismatch(y, want) == "") prints what differs.

namespace bf {

/// So many roundings of a value near 1.
inline double roundings(double count) {
  return count * static_cast<double>(std::numeric_limits<Real>::epsilon());
}

/// The first element of `got` that is further from `want` than tolerance * max(1, |want|).
inline std::string mismatch(const Tensor& got, const std::vector<double>& want,
                            double tolerance = roundings(16)) {
  if (got.size() != want.size()) {
    return join_parts("expected ", want.size(), " values, got ", got.shape());
  }
  for (Index i = 0; i < want.size(); ++i) {
    const double value = static_cast<double>(got[i]);
    if (std::abs(value - want[i]) <= tolerance * std::max(1.0, std::abs(want[i]))) continue;
    std::ostringstream text;
    text.precision(10);
    text << "element " << i << " of " << got.shape() << " is " << value << " and not " << want[i];
    return text.str();
  }
  return "";
}

inline std::vector<double> doubles(const Tensor& tensor) {
  return {tensor.data(), tensor.data() + tensor.size()};
}

inline std::string mismatch(const Tensor& got, const Tensor& want,
                            double tolerance = roundings(16)) {
  if (!(got.shape() == want.shape())) {
    return join_parts("expected shape ", want.shape(), ", got ", got.shape());
  }
  return mismatch(got, doubles(want), tolerance);
}

using TestedFunction = std::function<Variable(const std::vector<Variable>&)>;

/// What check_gradients has to say about f.
inline std::string gradient_fault(const std::string& name, const TestedFunction& f,
                                  const std::vector<Variable>& inputs,
                                  const GradCheckOptions& options = {}) {
  return check_gradients(name, f, inputs, options).text;
}

/// The arrays of tests/golden/NAME.txt (made by make_golden.py) by their names.
class Golden {
 public:
  explicit Golden(const std::string& name) {
    std::ifstream file(std::string(golden_folder) + "/" + name + ".txt");
    require_data(file.is_open(), "golden values: cannot read ", name, ".txt in ", golden_folder);
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream words(line);
      std::string key;
      Index rank = 0;
      words >> key >> rank;
      Array array;
      for (Index axis = 0, extent = 0; axis < rank; ++axis) {
        words >> extent;
        array.extents.push_back(extent);
      }
      for (double value; words >> value;) array.values.push_back(value);
      arrays_[key] = array;
    }
  }

  const std::vector<double>& operator[](const std::string& key) const {
    return arrays_.at(key).values;
  }
  Tensor tensor(const std::string& key) const {
    const Array& array = arrays_.at(key);
    const std::vector<Real> values(array.values.begin(), array.values.end());
    const auto& e = array.extents;
    if (e.empty()) return Tensor::from({}, values);
    return e.size() == 1 ? Tensor::from({e[0]}, values) : Tensor::from({e[0], e[1]}, values);
  }
  Variable leaf(const std::string& key) const { return Variable(tensor(key), true); }
  Ids ids(const std::string& key) const {
    return Ids(std::vector<Id>(arrays_.at(key).values.begin(), arrays_.at(key).values.end()));
  }

 private:
  struct Array {
    std::vector<Index> extents;
    std::vector<double> values;
  };
  std::map<std::string, Array> arrays_;
};

}  // namespace bf
