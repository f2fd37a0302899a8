#include "experiments/training_options.h"

#include "experiments/pruning_options.h"

namespace bf {

OptionList training_option_list(RunOptions& run) {
  OptionList list("Options");
  add_data_options(list, run.data);
  add_choice(list, "attention", run.model.attention, "which model", attention_names());
  add_model_options(list, run);
  add_prune_option(list, run);
  add_training_options(list, run);
  add_resume_options(list, run);
  add_seed(list, "seed", run.seed, "of weights, order of the rows, dropout and noise");
  add_budget_options(list, run);
  return list;
}

RunOptions training_options(const CommandLine& arguments, OptionValues* values) {
  RunOptions run;
  std::vector<const char*> argv{"bf-train"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  parse_options(static_cast<int>(argv.size()), argv.data(), "", training_option_list(run), values);
  run.resolve();
  return run;
}

}  // namespace bf
