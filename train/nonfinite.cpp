#include "train/nonfinite.h"

#include <string_view>

#include "autograd/tape.h"
#include "tensor/reduce.h"
#include "tensor/require.h"

namespace bf {
namespace {

void zero_gradients(const std::vector<NamedParameter>& parameters) {
  for (const NamedParameter& parameter : parameters) parameter.variable->zero_grad();
}

std::string first_bad_operation(const std::function<void()>& work) {
  try {
    const AnomalyMode watch;
    work();
  } catch (const AnomalyError& found) {
    return std::string(found.what()).substr(std::string_view("anomaly: ").size());
  }
  return "worked off again, every operation is finite";
}

std::string first_bad_gradient(const std::vector<NamedParameter>& parameters) {
  for (const NamedParameter& parameter : parameters) {
    const Tensor& gradient = parameter.variable->grad();
    if (first_non_finite(gradient) < gradient.size()) {
      return join_parts("; the first parameter with a gradient that is not finite is \"",
                        parameter.name, '"');
    }
  }
  return "";
}

}  // namespace

std::string non_finite_cause(const std::vector<NamedParameter>& parameters,
                             const std::function<void()>& work) {
  zero_gradients(parameters);
  const std::string operation = first_bad_operation(work);
  zero_gradients(parameters);
  work();
  const std::string gradient = first_bad_gradient(parameters);
  zero_gradients(parameters);
  return operation + gradient;
}

std::string too_many(const Skips& skips, Index total_steps) {
  if (skips.in_a_row > most_skips_in_a_row) {
    return join_parts("it is number ", skips.in_a_row, " in a row, and ", most_skips_in_a_row,
                      " may be skipped");
  }
  if (skips.total > most_skips(total_steps)) {
    return join_parts("it is number ", skips.total, " of ", total_steps, " updates, and ",
                      most_skips(total_steps), " may be skipped");
  }
  return "";
}

}  // namespace bf
