#include "experiments/study_findings.h"

#include <algorithm>
#include <cmath>

#include "experiments/run_record.h"
#include "experiments/sample.h"
#include "experiments/study_commands.h"
#include "experiments/study_tables.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// A goal that is met to the last digit shown is not missed by the rounding of a difference.
constexpr double rounding = 1e-9;

/// "(goal of the study: at least 0.5; met)"
std::string goal(const std::string& text, bool met) {
  return join_parts(" (goal of the study: ", text, met ? "; met)" : "; missed)");
}

/// Of a goal over data sets: at least `least` of the `planned` ones reach it; `reached` of the
/// `known` ones do. It is open for as long as the others decide.
std::string goal_of_sets(const std::string& text, Index least, Index planned, Index reached,
                         Index known) {
  const Index missing = planned - std::min(known, planned);
  if (reached >= least) return goal(text, true);
  if (reached + missing < least) return goal(text, false);
  return join_parts(" (goal of the study: ", text, "; open, ", known, " of ", planned,
                    " data sets have run)");
}

constexpr Index planned_sets = 10;
/// The data sets of long texts, from which the study expects more.
const std::vector<std::string> long_sets = {"imdb", "20ng"};

/// What BudgetFormer did on one data set, as shares of 1.
struct SetResult {
  std::string name;
  double points, heads, all_heads, flops_cut, time_cut;
  /// How much of the FLOPs cut is there on the clock; NaN where nothing was cut.
  double time_share() const { return flops_cut > 0 ? time_cut / flops_cut : std::nan(""); }
};

using Results = std::vector<SetResult>;
using Value = std::function<double(const SetResult&)>;

Results set_results(const StudyPart& part) {
  Results results;
  for (const std::string& dataset : part.datasets()) {
    const StudyGroup* budget = part.find(dataset, "budget");
    if (budget == nullptr) continue;
    const StudyGroup* reference = part.reference(*budget);
    if (reference == nullptr) continue;
    results.push_back({dataset, 100 * mean_of(differences(*budget, reference, accuracy_of)),
                       budget->mean(heads_of), budget->mean([](const StudyRun& run) {
                         return number_at(run.record, "/heads");
                       }),
                       1 - mean_of(ratios(*budget, reference, executed_of)),
                       1 - mean_of(ratios(*budget, reference, seconds_of))});
  }
  return results;
}

/// A value of data sets that all are to reach a bound, or some number of them.
struct Bound {
  double least;  ///< the value that is enough
  int digits;
  double factor = 1;  ///< from the value to what is printed
  std::string unit = {};
};

Index count_reaching(const Results& results, const Value& value, double least) {
  return static_cast<Index>(std::count_if(
      results.begin(), results.end(), [&](const SetResult& set) { return value(set) >= least; }));
}

/// "3 of 4 data sets"; those that do not reach the bound follow in names_below().
std::string count_of(const Results& results, const Value& value, double least) {
  return join_parts(count_reaching(results, value, least), " of ", results.size(), " data sets");
}

/// "every one": all of the `planned` sets reach the bound.
std::string goal_of_all(const Results& results, const Value& value, double least, Index planned) {
  return goal_of_sets("every one", planned, planned, count_reaching(results, value, least),
                      results.size());
}

/// "; not on r8 (-0.40), trec (-1.00)", or nothing.
std::string names_below(const Results& results, const Value& value, const Bound& bound) {
  std::string names;
  for (const SetResult& set : results) {
    if (value(set) >= bound.least) continue;
    names += join_parts(names.empty() ? "; not on " : ", ", set.name, " (",
                        digits_or_dash(bound.factor * value(set), bound.digits), bound.unit, ')');
  }
  return names;
}

std::string accuracy_sentence(const Results& results) {
  const Value points = [](const SetResult& set) { return set.points; };
  const Index higher = count_reaching(results, points, rounding);
  const Bound bound{-0.3 - rounding, 2, 1, ""};
  return join_parts(
      "Mean of seeds: BudgetFormer's accuracy is at least that of multi-head "
      "attention minus 0.3 points on ",
      count_of(results, points, bound.least), names_below(results, points, bound),
      goal_of_all(results, points, bound.least, planned_sets), ", and higher on ", higher,
      goal_of_sets("at least four", 4, planned_sets, higher, results.size()), '.');
}

std::string heads_sentence(const Results& results) {
  const Value fewer = [](const SetResult& set) { return -set.heads; };
  return join_parts("It runs at most 2 of ", digits_or_dash(results.front().all_heads, 0),
                    " heads per layer on average on ", count_of(results, fewer, -2),
                    names_below(results, fewer, {-2, 2, -1, ""}),
                    goal_of_sets("at least six", 6, planned_sets,
                                 count_reaching(results, fewer, -2), results.size()),
                    '.');
}

/// The FLOPs cut of the long or the other data sets, or "" where none of them is there.
std::string cut_sentence(const Results& results, bool longer, double least) {
  const Value cut = [](const SetResult& set) { return set.flops_cut; };
  Results kept;
  for (const SetResult& set : results) {
    const bool is_long = std::find(long_sets.begin(), long_sets.end(), set.name) != long_sets.end();
    if (is_long == longer) kept.push_back(set);
  }
  if (kept.empty()) return "";
  std::string all;
  for (const SetResult& set : kept) {
    all += join_parts(all.empty() ? "" : ", ", set.name, ' ',
                      digits_or_dash(100 * set.flops_cut, 1), " %");
  }
  const Index planned = longer ? long_sets.size() : planned_sets - long_sets.size();
  return join_parts(longer ? "Long texts (IMDB, 20 Newsgroups)" : "The other data sets",
                    ": it cuts the FLOPs by at least ", digits_or_dash(100 * least, 0), " % on ",
                    count_of(kept, cut, least), ": ", all, goal_of_all(kept, cut, least, planned),
                    '.');
}

std::string range(const std::vector<double>& shares) {
  return join_parts(digits_or_dash(100 * quantile(shares, 0), 0), " to ",
                    digits_or_dash(100 * quantile(shares, 1), 0), " %");
}

std::vector<std::string> time_sentences(const Results& results) {
  std::vector<double> cuts, shares;
  for (const SetResult& set : results) {
    cuts.push_back(set.flops_cut), shares.push_back(set.time_share());
  }
  std::string saved = "It saves " + range(cuts) + " of the FLOPs";
  if (std::isfinite(mean_of(shares))) {
    saved +=
        join_parts("; of that saving, ", range(shares), " (median ",
                   digits_or_dash(100 * quantile(shares, 0.5), 0), " %) is there on the clock");
  }
  const Value share = [](const SetResult& set) { return set.time_share(); };
  const Bound bound{0.85, 3, 1, ""};
  return {saved + '.',
          join_parts("The time is cut by at least 0.85 of what the FLOPs are on ",
                     count_of(results, share, bound.least), names_below(results, share, bound),
                     goal_of_all(results, share, bound.least, planned_sets), '.')};
}

/// "-0.05 to 0.12"; "-" without a finite number.
std::string span(const std::vector<double>& values) {
  return join_parts(digits_or_dash(quantile(values, 0), 2), " to ",
                    digits_or_dash(quantile(values, 1), 2));
}

/// Whether budgets follow what a text is, where nobody set its difficulty; "" without correlations.
std::string for_whom_sentence(const StudyPart& part) {
  std::vector<double> with_loss, with_length;
  std::string constant;
  for (const std::string& dataset : part.datasets()) {
    const StudyGroup* budget = part.find(dataset, "budget");
    if (budget == nullptr) continue;
    const auto mean = [&](const char* field) {
      return budget->mean([&](const StudyRun& run) { return run.test(field); });
    };
    with_loss.push_back(mean("spearman_heads_loss"));
    with_length.push_back(mean("spearman_heads_length"));
    if (!std::isfinite(with_loss.back())) constant += (constant.empty() ? "" : ", ") + dataset;
  }
  if (!std::isfinite(mean_of(with_loss))) return "";
  std::string text = join_parts(
      "Rank correlation (Spearman) of the heads that a text runs, by data set: with its loss ",
      span(with_loss), ", with its length ", span(with_length));
  if (!constant.empty()) text += "; none on " + constant + ", where every text runs as many";
  return text + '.';
}

Measure by_difficulty(const std::string& name, const std::string& value) {
  return [=](const StudyRun& run) { return grouped_value(run, "by_difficulty", name, value); };
}

/// " (27.9, 0.5, 12.4 by seed)"; "" for one.
std::string in_turn(const std::vector<double>& shares) {
  if (shares.size() < 2) return "";
  std::string text;
  for (const double share : shares) {
    text += (text.empty() ? " (" : ", ") + digits_or_dash(100 * share, 1);
  }
  return text + " by seed)";
}

/// What hard texts make of the choice of heads.
void add_random_gates(const StudyPart& part, const StudyGroup& budget,
                      std::vector<std::string>& sentences) {
  const Measure hard = by_difficulty("hard", "accuracy");
  const StudyGroup* at_test = part.find(budget.dataset, "random-gate-at-test");
  if (at_test != nullptr) {
    const std::vector<double> points = differences(budget, at_test, hard);
    sentences.push_back(join_parts(
        "With a random gate put on the same models at test time, with as many heads, "
        "the accuracy on hard texts is ",
        mean_and_deviation(at_test->values(hard), 1, 100), " %: the learned gate is better by ",
        mean_and_deviation(points, 1, 100), " points", in_turn(points),
        goal("at least 10", mean_of(points) >= 0.1 - rounding), '.'));
  }
  const StudyGroup* random = part.find(budget.dataset, "random");
  if (random != nullptr) {
    sentences.push_back(join_parts(
        "A model trained with a random gate reaches ",
        mean_and_deviation(random->values(hard), 1, 100), " % on hard texts: the learned gate is ",
        mean_and_deviation(differences(budget, random, hard), 1, 100), " points from it."));
  }
}

/// Which heads most texts of each kind run, in the first run (other seeds number their heads
/// otherwise); "" where no run has kinds.
std::string heads_by_kind(const StudyGroup& budget) {
  std::string kinds;
  const StudyRun& run = budget.runs.front();
  const nlohmann::json::json_pointer path("/test/by_kind");
  if (!run.record.contains(path)) return "";
  for (const nlohmann::json& kind : run.record.at(path)) {
    const std::string heads = usual_heads(kind);
    if (!heads.empty()) {
      kinds += join_parts(kinds.empty() ? "" : "; ", text_at(kind, "/name", "?"), ": ", heads);
    }
  }
  if (kinds.empty()) return "";
  return join_parts("Heads that most texts of a kind run (layer/head), seed ",
                    text_at(run.record, "/seed", "?"), ": ", kinds, '.');
}

std::vector<std::string> mixed_sentences(const StudyPart& part, const StudyGroup& budget) {
  const Measure hard = by_difficulty("hard", "accuracy");
  const Measure hard_heads = by_difficulty("hard", "heads_mean_total");
  const Measure easy_heads = by_difficulty("easy", "heads_mean_total");
  const std::vector<double> more =
      budget.values([&](const StudyRun& run) { return hard_heads(run) - easy_heads(run); });
  if (!std::isfinite(mean_of(more))) return {};
  const std::vector<double> ranks =
      budget.values([](const StudyRun& run) { return run.test("spearman_difficulty_heads"); });
  std::vector<std::string> sentences = {
      join_parts("Heads in all layers: ", mean_and_deviation(budget.values(hard_heads), 2),
                 " on hard texts, ", mean_and_deviation(budget.values(easy_heads), 2),
                 " on easy ones, ", mean_and_deviation(more, 2), " more",
                 goal("at least 2.0 more", mean_of(more) >= 2 - rounding), '.'),
      join_parts("Rank correlation (Spearman) of a text's difficulty and its heads: ",
                 mean_and_deviation(ranks, 2), goal("at least 0.5", mean_of(ranks) >= 0.5), '.')};
  const StudyGroup* reference = part.reference(budget);
  if (reference != nullptr) {
    const double points = 100 * mean_of(differences(budget, reference, hard));
    sentences.push_back(
        join_parts("Accuracy on hard texts: ", mean_and_deviation(budget.values(hard), 1, 100),
                   " %, multi-head attention ", mean_and_deviation(reference->values(hard), 1, 100),
                   " %, ", signed_digits(points, 1), " points",
                   goal("at most 1 point lower", points >= -1 - rounding), '.'));
  }
  add_random_gates(part, budget, sentences);
  const std::string kinds = heads_by_kind(budget);
  if (!kinds.empty()) sentences.push_back(kinds);
  return sentences;
}

struct Jitter {
  const char *learned, *family, *words;
};
constexpr Jitter jitters[] = {{"budget", "budget", "without jitter"},
                              {"jitter", "jitter-budget", "with jitter"}};

void add_curve(const StudyPart& part, const std::string& dataset, const Jitter& jitter,
               std::vector<std::string>& sentences) {
  const StudyGroup* learned = part.find(dataset, jitter.learned);
  const std::vector<const StudyGroup*> curve = part.family(dataset, jitter.family);
  if (learned == nullptr || curve.empty()) return;
  const std::string model = join_parts(dataset, ", trained ", jitter.words, ": ");
  for (const StudyGroup* group : curve) {
    if (number_in(group->variant) != 1) continue;
    const double points = 100 * mean_of(differences(*group, learned, accuracy_of));
    sentences.push_back(join_parts(
        model, "with every head (budget 1) the accuracy is ",
        mean_and_deviation(group->values(accuracy_of), 2, 100), " %, with the learned budget ",
        mean_and_deviation(learned->values(accuracy_of), 2, 100), " %, ", signed_digits(points, 2),
        " points", goal("within 1 point", std::abs(points) <= 1 + rounding), '.'));
  }
  const StudyGroup& worst =
      **std::min_element(curve.begin(), curve.end(), [](const StudyGroup* a, const StudyGroup* b) {
        return a->mean(accuracy_of) < b->mean(accuracy_of);
      });
  sentences.push_back(
      join_parts(model, "the worst of ", curve.size(), " budgets is ", number_in(worst.variant),
                 " with ", mean_and_deviation(worst.values(accuracy_of), 2, 100), " %, ",
                 signed_digits(100 * mean_of(differences(worst, learned, accuracy_of)), 2),
                 " points from the learned budget."));
}

/// Our point whose speed is nearest to the published one, among the curves and learned budgets.
std::string nearest_to_published(const StudyPart& part, const std::string& dataset) {
  constexpr double published_speed = 1.28;
  const auto speed = [&](const StudyGroup& group) {
    return 1 / mean_of(ratios(group, part.reference(group), seconds_of));
  };
  const StudyGroup* nearest = nullptr;
  for (const Jitter& jitter : jitters) {
    std::vector<const StudyGroup*> groups = part.family(dataset, jitter.family);
    if (const StudyGroup* learned = part.find(dataset, jitter.learned)) groups.push_back(learned);
    for (const StudyGroup* group : groups) {
      const double distance = std::abs(speed(*group) - published_speed);
      if (!std::isfinite(distance)) continue;
      if (nearest == nullptr || distance < std::abs(speed(*nearest) - published_speed)) {
        nearest = group;
      }
    }
  }
  if (nearest == nullptr) return "";
  return join_parts("Our point nearest to that speed on ", dataset, " is ", nearest->variant, ": ",
                    digits_or_dash(speed(*nearest), 2),
                    " times as fast as multi-head attention, accuracy ",
                    mean_and_deviation(nearest->values(accuracy_of), 2, 100), " %.");
}

}  // namespace

std::vector<std::string> main_findings(const StudyPart& part) {
  const Results results = set_results(part);
  if (results.empty()) return {};
  std::vector<std::string> sentences = {accuracy_sentence(results), heads_sentence(results)};
  for (const bool longer : {false, true}) {
    const std::string sentence = cut_sentence(results, longer, longer ? 0.3 : 0.2);
    if (!sentence.empty()) sentences.push_back(sentence);
  }
  for (const std::string& sentence : time_sentences(results)) sentences.push_back(sentence);
  const std::string whom = for_whom_sentence(part);
  if (!whom.empty()) sentences.push_back(whom);
  const std::string texts = texts_sentence(part);
  if (!texts.empty()) sentences.push_back(texts);
  return sentences;
}

std::vector<std::string> mixed_findings(const StudyPart& part) {
  std::vector<std::string> sentences;
  for (const std::string& dataset : part.datasets()) {
    const StudyGroup* budget = part.find(dataset, "budget");
    if (budget == nullptr) continue;
    for (const std::string& sentence : mixed_sentences(part, *budget)) {
      sentences.push_back(sentence);
    }
  }
  return sentences;
}

std::vector<std::string> budgets_findings(const StudyPart& part) {
  std::vector<std::string> sentences, nearest;
  for (const std::string& dataset : part.datasets()) {
    for (const Jitter& jitter : jitters) add_curve(part, dataset, jitter, sentences);
    const std::string sentence = nearest_to_published(part, dataset);
    if (!sentence.empty()) nearest.push_back(sentence);
  }
  if (nearest.empty()) return sentences;
  sentences.push_back(
      "Budgeted Attention Allocation (arXiv 2605.05697) reports AG News 82.1 % at 1.28 times the "
      "speed, for a small word-level model on one CPU thread; other models, rows and machines.");
  sentences.insert(sentences.end(), nearest.begin(), nearest.end());
  return sentences;
}

}  // namespace bf
