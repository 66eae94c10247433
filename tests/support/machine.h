// Machine: the PMUs and the processor of another machine as a folder for Root, from tests/fixtures/machine/NAME.txt.
//
// A line of such a file is PATH = TEXT; a relative path is below /sys/bus/event_source/devices; \n and \t in the text
// have the same meaning as in C. The folder is deleted with the object. (The script `machine` in this folder mounts the
// same files.)
#pragma once
#include <stdlib.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "sys/root.h"

namespace peregrine::testing {

class Machine {
 public:
  // An empty machine, for write().
  Machine() {
    std::string pattern = (std::filesystem::temp_directory_path() / "machine.XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  // `fixtures`: the folder tests/fixtures.
  Machine(const std::string& fixtures, const std::string& name) : Machine() {
    std::ifstream lines(fixtures + "/machine/" + name + ".txt");
    if (!lines) throw std::runtime_error("no machine " + name);
    for (std::string line; std::getline(lines, line);)
      if (!line.empty() && line[0] != '#') write(line);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  Root root() const { return Root(folder_); }

  // Adds a file, or replaces its text: a line of such a fixture.
  void write(const std::string& line) const {
    const auto equals = line.find(" = ");
    std::string path = line.substr(0, equals), text;
    if (path[0] != '/') path = "/sys/bus/event_source/devices/" + path;
    for (std::size_t i = equals + 3; i < line.size(); ++i) {
      const bool escape = line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == 'n' || line[i + 1] == 't');
      text += !escape ? line[i] : line[i + 1] == 'n' ? '\n' : '\t';
      if (escape) ++i;
    }
    const std::filesystem::path file = folder_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << (text.ends_with('\n') ? "" : "\n");
  }

 private:
  std::string folder_;
};

}  // namespace peregrine::testing
