#include "experiments/report_attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

constexpr Index shown_tokens = 32, shown_characters = 12, cell = 13;

/// The first characters of a token, so that no label runs into the map.
std::string short_token(const std::string& token) {
  std::string text;
  Index characters = 0;
  for (const char c : plain_text(token)) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (begins && characters++ == shown_characters) return escape_html(text) + "\u2026";
    text += c;
  }
  return escape_html(text);
}

/// Cells of one shade are one path: a map of 32 tokens stays below 20 KB.
void squares(std::ostringstream& svg, const Tensor& p, Index n) {
  const std::array<const char*, 8> shades = {"#deebf5", "#bdd7ea", "#94c1de", "#5aa5d0",
                                             "#3787c0", "#1b6aaf", "#0b4e95", "#08306b"};
  std::array<std::string, 8> paths;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double value = std::clamp(static_cast<double>(p.row(i)[j]), 0.0, 1.0);
      if (value < 0.02) continue;
      // Square root: most probabilities are small, and their differences are what is to be seen.
      const auto shade = std::min<Index>(7, static_cast<Index>(8 * std::sqrt(value)));
      paths[shade] += join_parts('M', j * cell, ' ', i * cell, 'h', cell - 1, 'v', cell - 1, "h-",
                                 cell - 1, 'z');
    }
  }
  for (Index s = 0; s < paths.size(); ++s) {
    if (!paths[s].empty()) svg << "<path fill=\"" << shades[s] << "\" d=\"" << paths[s] << "\"/>";
  }
}

/// The beginning of a text, cut between characters.
std::string beginning(const std::string& text) {
  constexpr Index most = 160;
  if (text.size() <= most) return text;
  Index size = most;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size) + "\u2026";
}

std::string head_list(const std::vector<HeadTrace>& layer) {
  std::string text;
  for (const HeadTrace& head : layer) text += join_parts(text.empty() ? "" : ", ", head.head + 1);
  return text;
}

}  // namespace

std::string attention_map(const std::vector<std::string>& tokens, const Tensor& probabilities,
                          Index shown) {
  const Index n = std::min(shown, tokens.size());
  require(probabilities.rank() == 2 && probabilities.dim(0) == tokens.size() &&
              probabilities.dim(1) == tokens.size(),
          "attention map: probabilities ", probabilities.shape(), " do not fit ", tokens.size(),
          " tokens");
  Index longest = 0;
  for (Index i = 0; i < n; ++i) longest = std::max(longest, tokens[i].size());
  const Index margin = 12 + 7 * std::min(longest, shown_characters + 1);
  const Index size = margin + n * cell + 4;
  std::ostringstream svg;
  svg << "<svg role=\"img\" width=\"" << size << "\" height=\"" << size << "\" viewBox=\"0 0 "
      << size << ' ' << size << "\" font-size=\"11\" font-family=\"sans-serif\" fill=\"#1a1a1a\">"
      << "<g transform=\"translate(" << margin << ' ' << margin << ")\"><rect width=\"" << n * cell
      << "\" height=\"" << n * cell << "\" fill=\"#f6f6f6\"/>";
  squares(svg, probabilities, n);
  for (Index i = 0; i < n; ++i) {
    const std::string token = short_token(tokens[i]);
    const Index middle = i * cell + cell - 3;
    svg << "<text x=\"-5\" y=\"" << middle << "\" text-anchor=\"end\">" << token << "</text>"
        << "<text transform=\"translate(" << middle << " -5) rotate(-90)\">" << token << "</text>";
  }
  svg << "</g></svg>\n";
  return svg.str();
}

void report_trace(HtmlPage& page, const TextTrace& trace, const std::string& text,
                  const std::vector<std::string>& class_names) {
  const Prediction& answer = trace.prediction;
  const auto label = static_cast<Index>(answer.label);
  page.heading(3, "\u201c" + beginning(text) + "\u201d");
  std::string sentence = join_parts(
      "Answer: ", label < class_names.size() ? class_names[label] : "?", " (",
      fixed_digits(100 * answer.probability, 1), " %), ", trace.tokens.size(), " tokens.");
  for (Index i = 0; i < trace.layers.size(); ++i) {
    sentence += join_parts(" Layer ", i + 1, ": head", trace.layers[i].size() == 1 ? " " : "s ",
                           head_list(trace.layers[i]));
    if (i < answer.budgets.size()) sentence += " (s " + fixed_digits(answer.budgets[i], 3) + ")";
    sentence += '.';
  }
  page.paragraph(sentence);
  if (trace.tokens.size() > shown_tokens) {
    page.note(join_parts("The maps show the first ", shown_tokens, " tokens."));
  }
  for (Index i = 0; i < trace.layers.size(); ++i) {
    for (const HeadTrace& head : trace.layers[i]) {
      page.markup("<figure class=\"map\"><figcaption>" +
                  join_parts("Layer ", i + 1, ", head ", head.head + 1) + "</figcaption>\n" +
                  attention_map(trace.tokens, head.probabilities, shown_tokens) + "</figure>\n");
    }
  }
}

}  // namespace bf
