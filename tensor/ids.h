#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tensor/real.h"

namespace bf {

/// Integer ids (tokens, labels): immutable, cheap to copy, so that an operation can keep them for
/// its backward.
class Ids {
 public:
  Ids() : values_(std::make_shared<const std::vector<Id>>()) {}
  Ids(std::vector<Id> values)
      : values_(std::make_shared<const std::vector<Id>>(std::move(values))) {}

  Index size() const { return values_->size(); }
  Id operator[](Index position) const { return (*values_)[position]; }
  auto begin() const { return values_->begin(); }
  auto end() const { return values_->end(); }

 private:
  std::shared_ptr<const std::vector<Id>> values_;
};

}  // namespace bf
