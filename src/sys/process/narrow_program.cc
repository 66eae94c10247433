#include "sys/process/narrow_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "base/fd.h"
#include "sys/process/program_path.h"
#include "sys/root.h"

namespace peregrine {

bool is_narrow_program(const std::string& path) {
  constexpr char kNarrowElf[] = {0x7f, 'E', 'L', 'F', 1};  // ELFCLASS32
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char begin[sizeof kNarrowElf] = {};
  return file && ::pread(file.get(), begin, sizeof begin, 0) == sizeof begin &&
         std::memcmp(begin, kNarrowElf, sizeof begin) == 0;
}

bool is_narrow_command(std::string_view command, std::string_view search_path) {
  return is_narrow_program(find_program(command, search_path));
}

bool runs_narrow_program(const Root& root, Pid process) {
  return is_narrow_program(root.path("/proc/" + std::to_string(process) + "/exe"));
}

}  // namespace peregrine
