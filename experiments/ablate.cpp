// bf-ablate: what each part of BudgetFormer is worth, and what cheaper models without it reach.

#include "experiments/ablations.h"
#include "experiments/study_options.h"

namespace {

using namespace bf;

constexpr const char* about =
    "bf-ablate: BudgetFormer with parts left out or exchanged, its honest opponents, its budget "
    "set\n"
    "by hand, and its behaviour over sizes; one part of the study at a time (--part).\n"
    "Each model is a run of bf-train, in a folder of its own below --out.";

int run(int argc, char** argv) {
  StudyOptions options;
  std::string part = "ablation";
  OptionList list = study_option_list(options);
  add_choice(list, "part", part, "which models", ablation_parts());
  OptionValues values;
  if (!parse_options(argc, argv, about, list, &values)) return 0;
  Study study = study_of(options, values, part);
  study.variants = ablation(part, options.run.model.transformer);
  run_and_report(study, options, values);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return bf::run_main(argc, argv, run); }
