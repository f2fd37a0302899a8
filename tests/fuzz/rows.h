#pragma once

#include <memory>

#include "tests/fuzz/fuzz.h"
#include "train/rows.h"

namespace bf::fuzz {

/// The rows of another reader. What is wrong with a bad one has to be said well. Each takes an
/// exception, which is slow under the sanitizers: the rows end at the third.
class FewBadRows : public RowReader {
 public:
  FewBadRows(std::string_view beginning, std::unique_ptr<RowReader> reader)
      : beginning_(beginning), reader_(std::move(reader)) {}

  bool next(Row& row) override {
    for (;;) {
      try {
        if (!reader_->next(row)) return false;
        // collect_rows() throws for it.
        return !row.label.empty() || ++bad_ < 3;
      } catch (const BadRow& error) {
        expect_message(beginning_, error.what());
        if (++bad_ == 1) throw;
        if (bad_ == 3) return false;
      }
    }
  }

  std::string place() const override { return reader_->place(); }

 private:
  std::string_view beginning_;
  std::unique_ptr<RowReader> reader_;
  int bad_ = 0;
};

/// Reads the rows that `open` gives through collect_rows(), which passes over the bad ones.
inline void read_rows(std::string_view beginning,
                      const std::function<std::unique_ptr<RowReader>()>& open) {
  refused_well(beginning, [&] {
    FewBadRows reader(beginning, open());
    LabelSet labels = LabelSet::open();
    std::vector<std::string> notes;
    std::vector<Example> examples =
        collect_rows(reader, std::string(beginning), labels, RowRules{true, ""}, notes);
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
