// bf-compare: trains multi-head attention and BudgetFormer on the same data and prints what each
// costs and yields.

#include "experiments/study_options.h"

namespace {

using namespace bf;

constexpr const char* about =
    "bf-compare: multi-head attention against BudgetFormer, side by side.\n"
    "Each model is a run of bf-train, in a folder of its own below --out.\n"
    "The best epoch is chosen on the validation rows; the test rows are seen once, at the end.\n"
    "For BudgetFormer only epochs count whose price of heads has reached its full height.";

int run(int argc, char** argv) {
  StudyOptions options;
  std::vector<std::string> attentions = {"mha", "budget"};
  OptionList list = study_option_list(options);
  add_texts(list, "attention", attentions, "models to compare, the reference first");
  OptionValues values;
  if (!parse_options(argc, argv, about, list, &values)) return 0;
  if (attentions.empty()) throw UsageError("--attention: expected at least one name");
  check_list("--attention", attentions, attention_names());
  Study study = study_of(options, values, "main");
  for (const std::string& name : attentions) {
    study.variants.push_back({.name = name, .settings = {{"attention", name}}});
  }
  run_and_report(study, options, values);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return bf::run_main(argc, argv, run); }
