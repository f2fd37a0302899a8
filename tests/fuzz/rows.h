#pragma once

#include <memory>

#include "tests/fuzz/fuzz.h"
#include "train/rows.h"

namespace bf::fuzz {

/// Reads the first rows that `open` gives as they are, and all through collect_rows(), which passes
/// over the bad ones. (Throwing is slow under the sanitizers.)
inline void read_rows(std::string_view beginning,
                      const std::function<std::unique_ptr<RowReader>()>& open) {
  refused_well(beginning, [&] {
    const std::unique_ptr<RowReader> reader = open();
    Row row;
    bool more = true;
    for (int i = 0; i < 20 && more; ++i) {
      refused_well(beginning, [&] {
        try {
          more = reader->next(row);
        } catch (const BadRow&) {
          throw;
        } catch (...) {
          more = false;
          throw;
        }
      });
    }
  });
  refused_well(beginning, [&] {
    const std::unique_ptr<RowReader> reader = open();
    LabelSet labels = LabelSet::open();
    std::vector<std::string> notes;
    std::vector<Example> examples =
        collect_rows(*reader, std::string(beginning), labels, RowRules{true, ""}, notes);
    labels.close(examples);
    for (const Example& example : examples) {
      expect_clean(example.text);
      expect_clean(example.second);
      expect(example.label >= 0 && static_cast<Index>(example.label) < labels.names().size(),
             "label ", example.label, " of ", labels.names().size());
    }
    for (const std::string& note : notes) expect_printable(note);
  });
}

}  // namespace bf::fuzz
