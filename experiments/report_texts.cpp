#include "experiments/report_texts.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "experiments/sample.h"
#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// Texts with something in common.
struct Group {
  std::string name;
  std::vector<const TestText*> texts;
};

using Value = std::function<double(const TestText&)>;

double heads_of(const TestText& text) { return text.total_heads(); }
double tokens_of(const TestText& text) { return static_cast<double>(text.tokens); }
double loss_of(const TestText& text) { return text.loss; }
double right(const TestText& text) { return text.label == text.prediction ? 1 : 0; }

double rank_of(const std::string& difficulty) {
  for (Index i = 0; i < 3; ++i) {
    if (difficulty == std::vector<std::string>{"easy", "medium", "hard"}[i]) {
      return static_cast<double>(i);
    }
  }
  return missing;
}

std::vector<double> values(const std::vector<const TestText*>& texts, const Value& value) {
  std::vector<double> result;
  result.reserve(texts.size());
  for (const TestText* text : texts) result.push_back(value(*text));
  return result;
}

std::vector<const TestText*> all(const RunRecord& run) {
  std::vector<const TestText*> texts;
  for (const TestText& text : run.texts) {
    if (text.has_heads()) texts.push_back(&text);
  }
  return texts;
}

/// Groups by a name, in the order of a rank; texts with an empty name are in none.
std::vector<Group> groups(const std::vector<const TestText*>& texts,
                          const std::function<std::string(const TestText&)>& name,
                          const Value& rank) {
  std::map<std::string, Group> by_name;
  for (const TestText* text : texts) {
    const std::string key = name(*text);
    if (key.empty()) continue;
    by_name[key].name = key;
    by_name[key].texts.push_back(text);
  }
  std::vector<Group> result;
  result.reserve(by_name.size());
  for (auto& [key, group] : by_name) result.push_back(std::move(group));
  std::stable_sort(result.begin(), result.end(), [&](const Group& a, const Group& b) {
    return rank(*a.texts.front()) < rank(*b.texts.front());
  });
  return result;
}

std::vector<Group> by_class(const RunRecord& run, const std::vector<const TestText*>& texts) {
  return groups(
      texts, [&](const TestText& text) { return run.class_name(text.label); },
      [](const TestText& text) { return static_cast<double>(text.label); });
}

std::vector<Group> by_difficulty(const std::vector<const TestText*>& texts) {
  return groups(
      texts, [](const TestText& text) { return text.difficulty; },
      [](const TestText& text) { return rank_of(text.difficulty); });
}

std::vector<Group> by_kind(const std::vector<const TestText*>& texts) {
  return groups(
      texts, [](const TestText& text) { return text.kind; },
      [](const TestText& text) { return rank_of(text.difficulty); });
}

std::string total_label(const RunRecord& run) {
  return join_parts("heads run, of ", run.layers() * run.heads(), " in all layers");
}

/// Mean heads of each group as bars, with the range that holds 80 of 100 texts.
Chart group_chart(const RunRecord& run, const std::string& x_label,
                  const std::vector<Group>& grouped) {
  Chart chart{.x_label = x_label, .y_label = total_label(run)};
  chart.from_zero = true;
  chart.bar_width = 0.6;
  Curve bars{"", {}, {}, {}, {}, CurveStyle::bars, Colour::sky};
  for (const Group& group : grouped) {
    const std::vector<double> heads = values(group.texts, heads_of);
    bars.x.push_back(static_cast<double>(chart.categories.size()));
    bars.y.push_back(mean_of(heads));
    bars.low.push_back(quantile(heads, 0.1));
    bars.high.push_back(quantile(heads, 0.9));
    chart.categories.push_back(group.name);
  }
  chart.curves.push_back(bars);
  if (chart.categories.size() > 8) chart.height = 380;
  return chart;
}

Chart binned_chart(const RunRecord& run, const std::string& x_label, const Value& value,
                   bool logarithmic = false) {
  constexpr Index bin_count = 12;
  const std::vector<const TestText*> texts = all(run);
  Curve curve{"", {}, {}, {}, {}, CurveStyle::line_points, Colour::blue};
  for (const Bin& bin : bins(values(texts, value), values(texts, heads_of), bin_count)) {
    curve.x.push_back(bin.x), curve.y.push_back(bin.mean);
    curve.low.push_back(bin.low), curve.high.push_back(bin.high);
  }
  Chart chart{.x_label = x_label, .y_label = total_label(run), .curves = {curve}};
  // Most texts are easy: on a straight axis their small losses are one point.
  chart.log_x = logarithmic && quantile(curve.x, 0) > 0;
  chart.from_zero = true;
  return chart;
}

Chart histogram(const RunRecord& run) {
  std::map<double, double> counts;
  const std::vector<const TestText*> texts = all(run);
  for (const TestText* text : texts) counts[text->total_heads()] += 1;
  Curve bars{"", {}, {}, {}, {}, CurveStyle::bars, Colour::sky};
  for (const auto& [heads, count] : counts) {
    bars.x.push_back(heads);
    bars.y.push_back(100 * count / static_cast<double>(texts.size()));
  }
  Chart chart{.x_label = total_label(run), .y_label = "share of test texts (%)", .curves = {bars}};
  chart.from_zero = true;
  return chart;
}

/// `summary`: where summary.json describes these texts; what it does not say comes from them.
std::vector<std::string> extremes_row(const RunRecord& run, const std::string& name,
                                      const std::string& summary,
                                      const std::vector<const TestText*>& texts) {
  const auto described = [&](const char* field, const Value& value) {
    const double stated = number_at(run.summary, "/test" + summary + '/' + field);
    return std::isfinite(stated) ? stated : mean_of(values(texts, value));
  };
  std::vector<Group> classes = by_class(run, texts);
  std::stable_sort(classes.begin(), classes.end(),
                   [](const Group& a, const Group& b) { return a.texts.size() > b.texts.size(); });
  std::string commonest;
  for (Index i = 0; i < std::min<Index>(3, classes.size()); ++i) {
    const double share =
        static_cast<double>(classes[i].texts.size()) / static_cast<double>(texts.size());
    commonest +=
        join_parts(i > 0 ? ", " : "", classes[i].name, ' ', fixed_digits(100 * share, 0), " %");
  }
  return {name,
          std::to_string(texts.size()),
          digits_or_dash(described("heads_mean_total", heads_of), 2),
          digits_or_dash(described("tokens_mean", tokens_of), 1),
          digits_or_dash(described("loss", loss_of), 3),
          digits_or_dash(100 * described("accuracy", right), 1) + " %",
          commonest};
}

std::string group_sentence(const std::string& what, std::vector<Group> grouped) {
  std::stable_sort(grouped.begin(), grouped.end(), [](const Group& a, const Group& b) {
    return mean_of(values(a.texts, heads_of)) > mean_of(values(b.texts, heads_of));
  });
  const auto entry = [](const Group& group) {
    return group.name + ' ' + digits_or_dash(mean_of(values(group.texts, heads_of)), 2);
  };
  std::string text = what + entry(grouped.front());
  const bool few = grouped.size() <= 5;
  for (Index i = few ? 1 : grouped.size() - 1; i < grouped.size(); ++i) {
    text += (few ? ", " : " down to ") + entry(grouped[i]);
  }
  return text + '.';
}

std::string correlations(const std::vector<const TestText*>& texts, bool generated) {
  const std::vector<double> heads = values(texts, heads_of);
  const double length = rank_correlation(values(texts, tokens_of), heads);
  const double loss = rank_correlation(values(texts, loss_of), heads);
  if (!generated && !std::isfinite(length) && !std::isfinite(loss)) {
    return "Every text gets the same number of heads.";
  }
  std::string text = "Rank correlation (Spearman) of a text's heads";
  if (generated) {
    const double difficulty = rank_correlation(
        values(texts, [](const TestText& t) { return rank_of(t.difficulty); }), heads);
    text += " with its difficulty " + digits_or_dash(difficulty, 2) + ',';
  }
  return text + " with its length " + digits_or_dash(length, 2) + ", with its loss " +
         digits_or_dash(loss, 2) + '.';
}

}  // namespace

std::vector<std::string> for_whom(const RunRecord& run) {
  const std::vector<const TestText*> texts = all(run);
  if (texts.empty()) return {};
  const std::vector<Group> difficulties = by_difficulty(texts);
  std::vector<std::string> sentences;
  if (!difficulties.empty()) {
    sentences.push_back(
        group_sentence("For whom, heads in all layers by difficulty: ", difficulties));
  } else {
    sentences.push_back(
        group_sentence("For whom, heads in all layers by class: ", by_class(run, texts)));
  }
  sentences.push_back(correlations(texts, !difficulties.empty()));
  return sentences;
}

ReportTable extremes_table(const RunRecord& run) {
  std::vector<const TestText*> texts = all(run);
  ReportTable table{{"texts", "number", "heads, mean", "tokens, mean", "loss, mean", "accuracy",
                     "commonest classes"},
                    {}};
  if (texts.empty()) return table;
  std::stable_sort(texts.begin(), texts.end(), [](const TestText* a, const TestText* b) {
    const double heads_a = a->total_heads(), heads_b = b->total_heads();
    return heads_a != heads_b ? heads_a < heads_b : mean_of(a->budgets) < mean_of(b->budgets);
  });
  // The order and the share by which the tenths of summary.json were taken.
  const auto part = static_cast<std::ptrdiff_t>(std::max<Index>(1, texts.size() / 10));
  table.rows = {extremes_row(run, "lowest s (a tenth)", "/cheapest_tenth",
                             {texts.begin(), texts.begin() + part}),
                extremes_row(run, "all", "", texts),
                extremes_row(run, "highest s (a tenth)", "/dearest_tenth",
                             {texts.end() - part, texts.end()})};
  return table;
}

HeatMap kind_map(const RunRecord& run) {
  HeatMap map{.x_label = "head", .y_label = "", .value_label = "share of texts"};
  for (const Group& group : by_kind(all(run))) {
    std::vector<double> row(run.layers() * run.heads(), 0.0);
    for (const TestText* text : group.texts) {
      for (Index i = 0; i < std::min(text->heads.size(), run.layers()); ++i) {
        for (const Index head : text->heads[i]) {
          if (head < run.heads()) row[i * run.heads() + head] += 1;
        }
      }
    }
    for (double& share : row) share /= static_cast<double>(group.texts.size());
    const std::string& difficulty = group.texts.front()->difficulty;
    map.rows.push_back(group.name + (difficulty.empty() ? "" : " (" + difficulty + ')'));
    map.values.push_back(row);
  }
  for (Index i = 0; i < run.layers(); ++i) {
    map.groups.push_back(join_parts("layer ", i + 1));
    for (Index h = 0; h < run.heads(); ++h) map.columns.push_back(std::to_string(h + 1));
  }
  map.with_numbers = map.columns.size() <= 32;
  map.width = std::clamp<Index>(280 + 34 * map.columns.size(), 580, 1200);
  map.height = 150 + 34 * map.rows.size();
  return map;
}

void report_texts(HtmlPage& page, const RunRecord& run, const Draw& draw) {
  if (!run.budgets()) return;
  page.heading(3, "Who gets how many heads");
  const std::vector<const TestText*> texts = all(run);
  if (texts.empty()) {
    page.note("This run kept no test texts with their heads (test_texts.jsonl).");
    return;
  }
  page.note("Bars and lines are means; whiskers and bands hold 80 of 100 texts.");
  const std::vector<Group> difficulties = by_difficulty(texts);
  if (!difficulties.empty()) {
    add_figure(page, "By difficulty: the budget follows the input if the bars rise.",
               group_chart(run, "difficulty", difficulties), draw);
    add_figure(page, "By kind of task.", group_chart(run, "kind", by_kind(texts)), draw);
    add_figure(
        page,
        "Which heads serve which kind: rows that differ mean that kinds have their own heads.",
        kind_map(run), draw);
  }
  add_figure(page, "By class.", group_chart(run, "class", by_class(run, texts)), draw);
  add_figure(page, "How the number of heads is spread over the texts.", histogram(run), draw);
  add_figure(page, "Against length, in groups of about equally many texts.",
             binned_chart(run, "tokens of the text", tokens_of), draw);
  add_figure(page, "Against loss: do texts that the model finds hard get more?",
             binned_chart(run, "cross entropy of the text (nats)", loss_of, true), draw);
  page.heading(3, "The cheapest and the dearest texts");
  page.table(extremes_table(run));
}

}  // namespace bf
