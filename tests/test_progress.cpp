#include "train/progress.h"

#include <doctest/doctest.h>

#include <sstream>

using bf::Progress;

TEST_CASE("progress: without a terminal only the lines that stay are written") {
  std::ostringstream out;
  Progress progress(out, false);
  progress.update("step 1");
  progress.line("epoch 1");
  CHECK(out.str() == "epoch 1\n");
}

TEST_CASE("progress: on a terminal the live line is written over and leaves nothing behind") {
  std::ostringstream out;
  {
    Progress progress(out, true);
    progress.update("step 1");
    progress.line("epoch 1");
    progress.update("step 2");
  }
  CHECK(out.str() == "\rstep 1\033[K\r\033[Kepoch 1\n\rstep 2\033[K\r\033[K");
}

TEST_CASE("progress: updates that follow at once are left out") {
  std::ostringstream out;
  Progress progress(out, true);
  progress.update("step 1");
  progress.update("step 2");
  CHECK(out.str() == "\rstep 1\033[K");
}

TEST_CASE("progress: what a file put into a line does not reach the terminal as a command") {
  std::ostringstream out;
  Progress progress(out, true);
  progress.line("bad label \"\033[2J\u009b\"\n");
  progress.update("\033]0;x\007");
  CHECK(out.str() == "bad label \" [2J \" \n\r ]0;x \033[K");
}
