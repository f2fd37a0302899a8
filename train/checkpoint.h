#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/fit.h"

namespace bf {

/// A run between two updates, with what ties it to its folder.
struct Checkpoint {
  TrainingState state;
  std::string run;          ///< what configuration and data it belongs to (run_identity.h)
  Index metrics_bytes = 0;  ///< length of metrics.jsonl at that moment
};

/// One safetensors file: tensors "weights/NAME", "first_moments/NAME", "second_moments/NAME" and
/// "best_weights/NAME"; in the metadata "state", a JSON object, and "crc32" (zlib's) over that
/// object and the names, shapes and values of all tensors. The file appears complete and on the
/// disk, or not at all (AtomicFile). Throws as save_safetensors().
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Throws std::runtime_error, `load: checkpoint "FILE": why`, for a file that is damaged or is not
/// a checkpoint: that a checkpoint comes back at all means that every bit of it is right.
Checkpoint load_checkpoint(const std::string& path);

/// The checkpoints of one run, step-N.safetensors, of which the two newest are kept.
class CheckpointFolder {
 public:
  /// Nothing is read or made before it is needed.
  explicit CheckpointFolder(std::string path) : path_(std::move(path)) {}

  /// Writes a checkpoint, then removes the files of all but the two newest steps.
  void save(const Checkpoint& checkpoint) const;
  /// The newest that can be read and holds the step of its name; `note` is told of each newer one
  /// that does not, and these are removed. None if there is no file. Throws std::runtime_error when
  /// there are files and none is whole, or when one or the folder may not be read.
  std::optional<Checkpoint> newest(const std::function<void(const std::string&)>& note) const;
  /// For messages: "the last good checkpoint is DIR/step-500.safetensors (step 500)", or that there
  /// is none yet, or why that cannot be said. Does not throw.
  std::string newest_text() const;
  /// Removes what a killed process left of a save.
  void remove_unfinished() const;
  /// Removes the checkpoints, and the folder unless somebody put something else there.
  void remove() const;
  const std::string& path() const { return path_; }

 private:
  std::vector<std::string> files() const;

  std::string path_;
};

}  // namespace bf
