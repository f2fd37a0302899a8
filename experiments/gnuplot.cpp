#include "experiments/gnuplot.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "tensor/require.h"

namespace bf {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for script and output, gone at the end.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "bf-report-XXXXXX").string();
    require_data(mkdtemp(name.data()) != nullptr, "gnuplot: cannot make a folder in ",
                 fs::temp_directory_path().string(), ": ", std::strerror(errno));
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const char* name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The first line that says something: gnuplot puts the command and a ^ before it.
std::string complaint(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" ^\t\r") != std::string::npos) last = line;
    if (line.find("line ") != std::string::npos) break;
  }
  return last.empty() ? "no message" : last;
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// Removes every `from` ... `to`, both included.
void cut(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
    const std::size_t end = text.find(to, at + from.size());
    if (end == std::string::npos) return;
    text.erase(at, end + to.size() - at);
  }
}

std::string changed_tag(std::string tag, const std::string& prefix) {
  for (const std::string& quote : {std::string("'"), std::string("\"")}) {
    cut(tag, " xmlns:xlink=" + quote, quote);
    cut(tag, "\nxmlns:xlink=" + quote, quote);
    cut(tag, "\nxmlns=" + quote, quote);
    cut(tag, " xmlns=" + quote, quote);
    replace_all(tag, " id=" + quote, join_parts(" id=", quote, prefix));
    replace_all(tag, join_parts("href=", quote, '#'), join_parts("href=", quote, '#', prefix));
  }
  replace_all(tag, "url(#", "url(#" + prefix);
  return tag;
}

}  // namespace

Gnuplot::Gnuplot(std::string program) : program_(std::move(program)) { run("exit\n"); }

std::string Gnuplot::draw(const std::string& script) {
  const std::string svg = run(script);
  require_data(svg.find("<svg") != std::string::npos && svg.find("</svg>") != std::string::npos,
               "gnuplot: made no picture; the script begins with ",
               script.substr(0, script.find('\n')));
  return embedded_svg(svg, join_parts('p', ++drawn_, '-'));
}

std::string Gnuplot::run(const std::string& script) const {
  const Scratch scratch;
  const std::string in = scratch.file("script"), out = scratch.file("out"),
                    err = scratch.file("err");
  std::ofstream(in, std::ios::binary) << script;

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&files, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
  std::string name = program_, defaults = "-d";  // -d: not the user's start-up file
  char* arguments[] = {name.data(), defaults.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, program_.c_str(), &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  require_data(error != ENOENT, program_,
               ": not found; pictures need it (Debian package gnuplot-nox)");
  require_data(error == 0, program_, ": cannot run: ", std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    require_data(errno == EINTR, program_, ": lost: ", std::strerror(errno));
  }
  require_data(WIFEXITED(status) && WEXITSTATUS(status) == 0, program_, ": ",
               complaint(content(err)));
  return content(out);
}

std::string embedded_svg(const std::string& svg, const std::string& prefix) {
  const std::size_t begin = svg.find("<svg");
  if (begin == std::string::npos) return {};
  std::string result;
  // Only what stands between < and > is changed: labels are text, in which < is an entity.
  for (std::size_t at = begin; at < svg.size();) {
    const std::size_t open = svg.find('<', at);
    if (open == std::string::npos) break;
    result.append(svg, at, open - at);
    const std::size_t close = svg.find('>', open);
    if (close == std::string::npos) break;
    result += changed_tag(svg.substr(open, close + 1 - open), prefix);
    at = close + 1;
  }
  cut(result, "<title>", "</title>");
  cut(result, "<desc>", "</desc>");
  return result + '\n';
}

std::string svg_file(const std::string& embedded) {
  std::string file = embedded;
  const std::string_view root = "<svg";
  require(file.compare(0, root.size(), root) == 0, "svg_file: expected an <svg> element");
  file.insert(root.size(),
              " xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
  return file;
}

}  // namespace bf
