// main.jsonl of a study, as bf-report reads and shows it.

#include "experiments/report_study.h"
#include "tests/fuzz/fuzz.h"

namespace bf::fuzz {

void study(std::string_view bytes) {
  const std::string folder = folder_of("study");
  place(folder, "main.jsonl", bytes, 5);
  refused_well(folder, [&] {
    const StudyReport page =
        report_study(folder, [](const std::string&) { return std::string("<svg></svg>"); });
    expect(page.html.find("<script") == std::string::npos, "a script in a page");
  });
}

}  // namespace bf::fuzz
