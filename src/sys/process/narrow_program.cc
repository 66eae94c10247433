#include "sys/process/narrow_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/fd.h"

namespace peregrine {

bool is_narrow_program(const std::string& path) {
  constexpr char kNarrowElf[] = {0x7f, 'E', 'L', 'F', 1};  // ELFCLASS32
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char begin[sizeof kNarrowElf] = {};
  return file && ::pread(file.get(), begin, sizeof begin, 0) == sizeof begin &&
         std::memcmp(begin, kNarrowElf, sizeof begin) == 0;
}

bool is_narrow_command(std::string_view command, std::string_view search_path) {
  if (command.find('/') != command.npos) return is_narrow_program(std::string(command));
  for (;;) {
    const std::string_view folder = search_path.substr(0, search_path.find(':'));
    std::string path(folder.empty() ? "." : folder);
    path.append("/").append(command);
    if (::access(path.c_str(), X_OK) == 0) return is_narrow_program(path);
    if (folder.size() == search_path.size()) return false;
    search_path.remove_prefix(folder.size() + 1);
  }
}

bool runs_narrow_program(const Root& root, Pid process) {
  return is_narrow_program(root.path("/proc/" + std::to_string(process) + "/exe"));
}

}  // namespace peregrine
