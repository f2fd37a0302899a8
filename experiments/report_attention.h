#pragma once

#include "experiments/html.h"
#include "train/trace.h"

namespace bf {

/// What one head of one text reads, as an <svg>: a square for each pair of tokens, the darker the
/// higher the probability; rows are the tokens that read. At most `shown` tokens are drawn.
std::string attention_map(const std::vector<std::string>& tokens, const Tensor& probabilities,
                          Index shown);

/// The text, the answer, and the maps of the heads that ran, layer by layer.
void report_trace(HtmlPage& page, const TextTrace& trace, const std::string& text,
                  const std::vector<std::string>& class_names);

}  // namespace bf
