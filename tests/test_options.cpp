#include "experiments/options.h"

#include <doctest/doctest.h>

#include <iostream>
#include <sstream>

using namespace bf;

namespace {

/// Parses `words` with the options that `add` adds; the message of what is thrown, or "".
template <typename Add>
std::string parse(std::vector<const char*> words, Add add) {
  OptionList options("Options");
  add(options);
  words.insert(words.begin(), "bf-test");
  try {
    parse_options(static_cast<int>(words.size()), words.data(), "about", options);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

struct Captured {
  int code;
  std::string error;
};

Captured run(const std::function<int(int, char**)>& body) {
  std::ostringstream error;
  std::streambuf* before = std::cerr.rdbuf(error.rdbuf());
  std::string program = "build/experiments/bf-test";
  char* words[] = {program.data(), nullptr};
  const int code = run_main(1, words, body);
  std::cerr.rdbuf(before);
  return {code, error.str()};
}

}  // namespace

TEST_CASE("options: counts are read, and negative or odd ones refused with the range") {
  Index batch = 32;
  const auto add = [&](OptionList& o) { add_count(o, "batch", batch, "rows", 1); };
  CHECK(parse({}, add) == "");
  CHECK(batch == 32);
  CHECK(parse({"--batch", "64"}, add) == "");
  CHECK(batch == 64);
  const std::string rule = "--batch: expected a whole number from 1 to 1000000000, got ";
  CHECK(parse({"--batch", "-4"}, add) == rule + "\"-4\"");
  CHECK(parse({"--batch=-4"}, add) == rule + "\"-4\"");
  CHECK(parse({"--batch", "0"}, add) == rule + "\"0\"");
  CHECK(parse({"--batch", "3.5"}, add) == rule + "\"3.5\"");
  for (const char* huge : {"1000000001", "9223372036854775808", "99999999999999999999999"}) {
    CHECK(parse({"--batch", huge}, add) == rule + '"' + huge + '"');
  }
  CHECK(batch == 64);
}

TEST_CASE("options: text that is not UTF-8 is refused: it could not be recorded") {
  std::string out;
  const auto add = [&](OptionList& list) { add_text(list, "out", out, "help"); };
  CHECK(parse({"--out", "caf\xc3\xa9"}, add) == "");
  CHECK(out == "caf\xc3\xa9");
  CHECK(parse({"--out", "caf\xe9"}, add) == "--out: expected UTF-8, got \"caf?\"");
}

TEST_CASE("options: a count with both ends names both") {
  Index threads = 1;
  CHECK(parse({"--threads", "300"}, [&](OptionList& o) {
          add_count(o, "threads", threads, "", 1, 256);
        }) == "--threads: expected a whole number from 1 to 256, got \"300\"");
}

TEST_CASE("options: numbers outside the range, not finite or not numbers are refused") {
  double budget = 0.5;
  const auto add = [&](OptionList& o) { add_number(o, "budget", budget, "", 0, 1, true); };
  CHECK(parse({"--budget", "0.25"}, add) == "");
  CHECK(budget == 0.25);
  const std::string rule = "--budget: expected a number above 0 and at most 1, got ";
  for (const char* bad : {"0", "-0.5", "1.01", "nan", "inf", "half", "1e999", "0.5x"}) {
    CAPTURE(bad);
    CHECK(parse({"--budget", bad}, add) == rule + "\"" + bad + "\"");
  }
  CHECK(budget == 0.25);
}

TEST_CASE("options: ranges with one end or none are named as such") {
  double rate = 1;
  CHECK(parse({"--lr", "-1"}, [&](OptionList& o) { add_number(o, "lr", rate, "", 0); }) ==
        "--lr: expected a number of at least 0, got \"-1\"");
  CHECK(parse({"--x", "a"}, [&](OptionList& o) { add_number(o, "x", rate, ""); }) ==
        "--x: expected a number, got \"a\"");
  CHECK(parse({"--p", "2"}, [&](OptionList& o) { add_number(o, "p", rate, "", 0, 1); }) ==
        "--p: expected a number from 0 to 1, got \"2\"");
}

TEST_CASE("options: a choice lists what is allowed") {
  std::string attention = "mha";
  const auto add = [&](OptionList& o) {
    add_choice(o, "attention", attention, "kind", {"mha", "budget"});
  };
  CHECK(parse({"--attention", "budget"}, add) == "");
  CHECK(attention == "budget");
  CHECK(parse({"--attention", "soft"}, add) ==
        "--attention: expected one of mha, budget, got \"soft\"");
}

TEST_CASE("options: lists, texts and flags") {
  std::vector<std::string> columns;
  std::string folder;
  bool json = false;
  const auto add = [&](OptionList& o) {
    add_texts(o, "text-columns", columns, "");
    add_text(o, "out", folder, "");
    add_flag(o, "json", json, "");
  };
  CHECK(parse({"--text-columns", "title,body", "--out", "run 1", "--json"}, add) == "");
  CHECK(columns == std::vector<std::string>{"title", "body"});
  CHECK(folder == "run 1");
  CHECK(json);
}

TEST_CASE("options: unknown, repeated, abbreviated and stray words are named") {
  Index batch = 1;
  const auto add = [&](OptionList& o) { add_count(o, "batch", batch, ""); };
  CHECK(parse({"--bach", "2"}, add) == "unrecognised option '--bach'");
  CHECK(parse({"--bat", "2"}, add) == "unrecognised option '--bat'");
  CHECK(parse({"--batch", "2", "--batch", "3"}, add) ==
        "option '--batch' cannot be specified more than once");
  CHECK(parse({"--batch"}, add) == "the required argument for option '--batch' is missing");
  CHECK(parse({"model"}, add) == "unexpected argument \"model\"; see --help");
}

TEST_CASE("options: help shows the text and the defaults and ends the program") {
  Index batch = 32;
  OptionList options("Options");
  add_count(options, "batch", batch, "rows in a batch");
  std::ostringstream out;
  std::streambuf* before = std::cout.rdbuf(out.rdbuf());
  for (const char* word : {"--help", "-h"}) {
    const char* words[] = {"bf-test", word};
    CHECK_FALSE(parse_options(2, words, "Tests things.", options));
  }
  std::cout.rdbuf(before);
  CHECK(out.str().find("Tests things.") == 0);
  CHECK(out.str().find("--batch arg (=32)") != std::string::npos);
  CHECK(out.str().find("rows in a batch") != std::string::npos);
}

TEST_CASE("options: values come back as they were written") {
  Index batch = 32;
  OptionList options("Options");
  add_count(options, "batch", batch, "");
  OptionValues values;
  const char* words[] = {"bf-test", "--batch", "8"};
  CHECK(parse_options(3, words, "", options, &values));
  CHECK(values["batch"].as<std::string>() == "8");
}

TEST_CASE("options: data options reach their targets, and an unknown set lists the known ones") {
  DatasetOptions data;
  const auto add = [&](OptionList& o) { add_data_options(o, data); };
  CHECK(parse({"--dataset", "synthetic", "--difficulty", "hard", "--rows", "50", "--data-seed", "4",
               "--no-header"},
              add) == "");
  CHECK(data.name == "synthetic");
  CHECK(data.difficulty == "hard");
  CHECK(data.rows == 50);
  CHECK(data.seed == 4);
  CHECK(data.no_header);
  const std::string message = parse({"--dataset", "mnist"}, add);
  CHECK(message.find("--dataset: expected one of ") == 0);
  CHECK(message.find("synthetic") != std::string::npos);
  CHECK(message.find("got \"mnist\"") != std::string::npos);
  CHECK(parse({"--validation-fraction", "0"}, add) ==
        "--validation-fraction: expected a number above 0 and at most 0.9, got \"0\"");
}

TEST_CASE("options: a mistake in the data options is a usage error") {
  DatasetOptions data;
  data.name = "mnist";
  CHECK_THROWS_AS(load_data(data), UsageError);
}

TEST_CASE("options: exceptions become exit codes and one line on stderr") {
  CHECK(run([](int, char**) { return 0; }).code == 0);
  const Captured usage = run([](int, char**) -> int { throw UsageError("--batch: no"); });
  CHECK(usage.code == 2);
  CHECK(usage.error == "bf-test: --batch: no\n");
  const Captured failure = run([](int, char**) -> int { throw std::runtime_error("two\nlines"); });
  CHECK(failure.code == 1);
  CHECK(failure.error == "bf-test: two lines\n");
  CHECK(run([](int, char**) -> int { throw boost::program_options::error("bad"); }).code == 2);
  CHECK(run([](int, char**) -> int { throw std::bad_alloc(); }).error ==
        "bf-test: out of memory\n");
}
