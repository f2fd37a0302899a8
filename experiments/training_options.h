#pragma once

#include <string>

#include "experiments/model_options.h"
#include "experiments/process.h"

namespace bf {

/// Every option of bf-train, with `run` as its targets and defaults.
OptionList training_option_list(RunOptions& run);

/// The options that bf-train would get from these arguments, resolved; `values`, if given, gets
/// them as they were written. Throws UsageError and boost::program_options::error as
/// parse_options() does.
RunOptions training_options(const CommandLine& arguments, OptionValues* values = nullptr);

}  // namespace bf
