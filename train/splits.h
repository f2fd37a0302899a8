#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/dataset.h"

namespace bf {

/// Brings a freshly read data set into its final form, in this order: a test split is taken from
/// the training rows if there is none, then a validation split, each `validation_fraction` of them
/// (of `train_rows`, if that is smaller); what is left is cut to `train_rows`. All three follow
/// one seeded permutation, so the training rows are in random order and sorted files do no harm.
/// What was done is added to `notes`.
///
/// Throws std::runtime_error if a split ends up empty, or if only one class is among the training
/// rows.
void complete_splits(Dataset& data, const DatasetOptions& options);

/// Moves a seeded `fraction` of the training rows to `validation` and as many to `test`, whatever
/// `options` says about samples: for a set that is one list of rows. Throws std::runtime_error if
/// there are too few.
void hold_out(Dataset& data, double fraction, std::uint64_t seed);

/// "train: 1 class seen of 4 (World)" if not every class occurs in `rows`, else "".
std::string classes_missing(const std::string& split, const std::vector<Example>& rows,
                            const std::vector<std::string>& class_names);

}  // namespace bf
