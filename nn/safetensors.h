#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nn/module.h"
#include "tensor/tensor.h"

namespace bf {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
using Metadata = std::map<std::string, std::string>;

/// What a file holds, tensors in the order of their bytes.
struct SafetensorsFile {
  NamedTensors tensors;
  Metadata metadata;
};

/// Writes the format of https://github.com/huggingface/safetensors: the length of the header
/// (8 bytes, little endian), the header (JSON: dtype, shape and byte range of every tensor, and
/// "__metadata__", text by name), the values. The same input makes the same bytes; dtype is that of
/// Real (F32, or F64 in the double build). The file appears complete or not at all (AtomicFile).
/// Throws std::invalid_argument for a name given twice, the name "__metadata__", an undefined
/// tensor or text that is not UTF-8, and std::runtime_error, `save: "FILE": why`, when the system
/// refuses or the header is beyond what load_safetensors() reads (100 MB).
void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata = {});

/// Reads such a file; F32 and F64 become Real. Everything the header says is checked before memory
/// for values is asked for: the ranges have to cover the buffer exactly once, in any order.
/// Throws std::runtime_error, `load: "FILE": rule: numbers`.
SafetensorsFile load_safetensors(const std::string& path);

/// Saves all parameters under the names of named_parameters().
void save_parameters(Module& module, const std::string& path, const Metadata& metadata = {});

/// Copies the tensors into the parameters of the same names. Names and shapes have to match
/// exactly; nothing is written unless all do. Shapes do not tell 8 heads from 12 of the same width
/// in all: the configuration in the metadata does (train/run_folder.h). `path` is for the message.
/// Throws std::runtime_error:
///   load: checkpoint "run7.bin" has "head.weight" [512, 256], the model expects [512, 384]
///   load: checkpoint "run7.bin" lacks "head.bias" of the model
///   load: checkpoint "run7.bin" has "gate.bias", which the model does not
void load_parameters(Module& module, const SafetensorsFile& file, const std::string& path);

}  // namespace bf
