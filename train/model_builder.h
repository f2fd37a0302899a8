#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "budgetformer/model.h"

namespace bf {

/// Everything that makes a model: equal configurations give equal weights.
struct ModelConfig {
  std::string attention = "budget";  ///< one of attention_names()
  TransformerConfig transformer;
  BudgetConfig budget;  ///< not used by mha; its policy follows from `attention`
  std::uint64_t seed = 1;
};

/// mha: every head for every input. budget: BudgetFormer. fixed: its gate with one budget for all
/// inputs. random: its budget with a random gate.
std::vector<std::string> attention_names();

struct Model {
  ModelConfig config;
  std::unique_ptr<TransformerClassifier> net;
  BudgetFormerClassifier* budget = nullptr;  ///< the same object, or null for mha
};

/// Throws std::invalid_argument for an unknown attention and as the classifiers do.
Model make_model(const ModelConfig& config);

/// Most tokens of a text: attention takes time with the square of their number.
constexpr Index longest_text = 65536;

/// Throws std::runtime_error, beginning with `file`, if the parameters of such a model are more
/// than `values`, which a file has: before memory is taken for them. Also for a max_length above
/// longest_text, and sinusoidal positions (which stand in no file) of more than 2^26 values.
void require_model_fits(const ModelConfig& config, Index values, const std::string& file);

/// The configuration as it stands in config.json, and back. Reading throws std::runtime_error
/// naming the field that is missing or of the wrong type.
nlohmann::json to_json(const ModelConfig& config);
ModelConfig model_config_from_json(const nlohmann::json& json);

}  // namespace bf
