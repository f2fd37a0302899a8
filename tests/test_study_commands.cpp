#include "experiments/study_commands.h"

#include <doctest/doctest.h>

#include "tests/study_files.h"

using namespace bf;

namespace {

/// The run of a variant with this command; as one of `texts` test texts if that is not 0.
StudyGroup with_command(const std::string& dataset, const std::string& variant,
                        const std::string& command, bool trained = true, Index texts = 0) {
  StudyRun run;
  run.dataset = dataset, run.variant = variant, run.command = command;
  run.record["trained"] = trained;
  if (texts > 0) run.record["test"]["examples"] = texts;
  return {dataset, variant, {run}};
}

}  // namespace

TEST_CASE("study_commands: every run has its command") {
  const TempFolder folder;
  write_main_part(folder);
  const std::vector<std::string> lines = commands(read_study_part(folder.path(), "main"));
  REQUIRE(lines.size() == 6);
  CHECK(lines[0] == "trec, mha, seed 1: bf-train <mha>");
}

TEST_CASE("study_commands: an option's value") {
  const std::string command = "bf-train --max-len 64 --resume --out a b --seed 1";
  CHECK(option_in(command, "--max-len") == "64");
  CHECK(option_in(command, "--resume").empty());
  CHECK(option_in(command, "--out") == "a b");
  CHECK(option_in(command, "--seed") == "1");
  CHECK(option_in(command, "--dim").empty());
}

TEST_CASE("study_commands: variants are told apart by the options that not all of them have") {
  const std::string every = "bf-train --epochs 4 --dataset trec --attention ";
  const ReportTable table = options_table(
      {"any",
       {with_command("trec", "mha", every + "mha --seed 1 --out runs/a"),
        with_command("trec", "no-price", every + "budget --head-price 0 --seed 1 --out runs/b"),
        with_command("trec", "pruned", every + "mha --prune-from runs/a --seed 1 --out runs/c"),
        with_command("trec", "budget-1", "bf-evaluate --model runs/b --budget 1", false),
        with_command("trec", "resumed", every + "mha --resume --seed 1"),
        with_command("emotion", "mha", "bf-train --attention mha"),
        with_command("emotion", "budget-1", "bf-evaluate --model runs/emotion-b-seed1 --budget 1",
                     false),
        with_command("r8", "mha", every + "mha --dim 4"),
        with_command("r8", "budget-1", "bf-evaluate --model runs/r8-no-price-seed1 --budget 1",
                     false)}});
  CHECK(table.rows == std::vector<std::vector<std::string>>{
                          {"mha", "--attention mha", "trec"},
                          {"no-price", "--attention budget --head-price 0", "trec"},
                          {"pruned", "--attention mha --prune-from a", "trec"},
                          {"budget-1", "--model b --budget 1", "trec, emotion"},
                          {"resumed", "--attention mha --resume", "trec"},
                          {"mha", "-", "emotion, r8"},
                          {"budget-1", "--model no-price --budget 1", "r8"}});
  CHECK(options_table(StudyPart()).rows.empty());
}

TEST_CASE("study_commands: cut texts, and test sets that are not whole") {
  StudyPart part{"main",
                 {with_command("dbpedia (2.3 %)", "budget", "bf-train --max-len 128", true, 7600),
                  with_command("imdb", "budget", "bf-train --max-len 256", true, 25000),
                  with_command("imdb", "mha", "bf-train --max-len 1", true, 1)}};
  CHECK(texts_sentence(part) ==
        "Texts are cut after so many tokens: dbpedia (2.3 %) 128, imdb 256. Only a part of the "
        "published test texts was at hand: dbpedia 7600 of 70000.");
  CHECK(texts_sentence(StudyPart()).empty());
}
