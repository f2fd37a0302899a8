#include "experiments/report_attention.h"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace bf;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("report_attention: a map darkens with the probability and leaves out what is small") {
  const Tensor p = Tensor::from({2, 2}, {1, 0, Real(0.99), Real(0.01)});
  const std::string map = attention_map({"<a>", "b"}, p, 32);
  // Both large ones are one path of the darkest shade: rows 0 and 1 of column 0.
  CHECK(holds(map, "<path fill=\"#08306b\" d=\"M0 0h12v12h-12zM0 13h12v12h-12z\"/>"));
  CHECK_FALSE(holds(map, "M13"));
  CHECK(holds(map, "text-anchor=\"end\">&lt;a&gt;</text>"));
}

TEST_CASE("report_attention: long tokens are cut between characters, many tokens to those shown") {
  const std::string token =
      "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9";
  const std::string map =
      attention_map({token, "never-shown"}, Tensor::from({2, 2}, {1, 0, 1, 0}), 1);
  CHECK(holds(map, ">" + token.substr(0, 24) + "\u2026<"));
  CHECK_FALSE(holds(map, "never-shown"));
}

TEST_CASE("report_attention: probabilities of another size are an error") {
  CHECK_THROWS_WITH_AS(attention_map({"a", "b"}, Tensor::zeros({1, 1}), 32),
                       "attention map: probabilities [1, 1] do not fit 2 tokens",
                       std::invalid_argument);
}

TEST_CASE("report_attention: a text is shown with its answer and the heads that ran") {
  TextTrace trace;
  trace.prediction.label = 1;
  trace.prediction.probability = 0.75;
  trace.prediction.budgets = {0.2, 0.4};
  trace.tokens = {"a"};
  const Tensor one = Tensor::from({1, 1}, {1});
  trace.layers = {{{2, one}}, {{0, one}, {3, one}}};
  HtmlPage page("t");
  report_trace(page, trace, "<b>" + std::string(156, 'x') + "\u00e9\u00e9", {"no", "y<s"});
  const std::string html = page.html();
  CHECK(holds(html,
              "Answer: y&lt;s (75.0 %), 1 tokens. Layer 1: head 3 (s 0.200). "
              "Layer 2: heads 1, 4 (s 0.400)."));
  CHECK(holds(html, "\u201c&lt;b&gt;" + std::string(156, 'x') + "\u2026\u201d"));
  CHECK(holds(html, "<figcaption>Layer 2, head 4</figcaption>"));
}
