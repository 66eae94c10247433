#include "sys/sandbox/foreign_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace peregrine {

namespace {

Fd open_memory(u32 process) { return Fd(::open(fmt::format("/proc/{}/mem", process).c_str(), O_RDONLY | O_CLOEXEC)); }

bool is_regular(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

bool is_elf(int fd) {
  constexpr char kElf[] = {0x7f, 'E', 'L', 'F'};
  char begin[sizeof kElf] = {};
  return is_regular(fd) && ::pread(fd, begin, sizeof begin, 0) == static_cast<ssize_t>(sizeof begin) &&
         std::memcmp(begin, kElf, sizeof begin) == 0;
}

Fd keep_if(Fd file, bool (*good)(int fd)) {
  if (!file || good(file.get())) return file;
  errno = EACCES;
  return Fd();
}

enum class PlaceKind { Root, MappedFile, Maps };
struct ProcessPlace {
  PlaceKind kind = PlaceKind::Root;
  std::size_t folder = 0;  // length of "/proc/PID/root"
};

std::optional<ProcessPlace> split(std::string_view path) {
  constexpr std::string_view kProc = "/proc/";
  const std::size_t end = path.find_first_not_of("0123456789", kProc.size());
  if (!path.starts_with(kProc) || end == kProc.size() || end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = path.substr(end);
  if (rest == "/maps") return ProcessPlace{PlaceKind::Maps, end};
  if (rest.starts_with("/map_files/") && rest.find('/', 11) == std::string_view::npos)
    return ProcessPlace{PlaceKind::MappedFile, end};
  if (rest.starts_with("/root/")) return ProcessPlace{PlaceKind::Root, end + 5};
  return std::nullopt;
}

}  // namespace

bool read_memory(u32 process, u64 address, void* bytes, std::size_t size) {
  const Fd memory = open_memory(process);
  return memory && ::pread(memory.get(), bytes, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
}

std::optional<std::string> read_path(u32 process, u64 address) {
  const Fd memory = open_memory(process);
  char bytes[PATH_MAX];
  // The page after the path may be unmapped, so a short read is fine.
  const ssize_t size = memory ? ::pread(memory.get(), bytes, sizeof bytes, static_cast<off_t>(address)) : -1;
  if (size <= 0) return std::nullopt;
  const char* const end = std::find(bytes, bytes + size, '\0');
  if (end == bytes + size) return std::nullopt;
  return std::string(static_cast<const char*>(bytes), end);
}

Fd open_folder_of(u32 process, int folder) {
  const std::string link =
      folder == AT_FDCWD ? fmt::format("/proc/{}/cwd", process) : fmt::format("/proc/{}/fd/{}", process, folder);
  return Fd(::open(link.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Fd open_file_of(u32 process, int fd) {
  return Fd(::open(fmt::format("/proc/{}/fd/{}", process, fd).c_str(), O_PATH | O_CLOEXEC));
}

std::string own_link(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

std::string path_of(int fd) {
  char path[PATH_MAX];
  const ssize_t size = ::readlink(own_link(fd).c_str(), path, sizeof path);
  if (size <= 0 || size == static_cast<ssize_t>(sizeof path) || path[0] != '/') return {};
  return {path, static_cast<std::size_t>(size)};
}

bool leads_into_process(std::string_view path) { return split(path).has_value(); }

Fd open_program_file(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const auto place = split(path);
  if (!place) return Fd();
  if (place->kind == PlaceKind::Maps) return Fd(::open(path.c_str(), kFlags));
  if (place->kind == PlaceKind::MappedFile) return keep_if(Fd(::open(path.c_str(), kFlags)), is_elf);
  const std::string name(path.substr(path.rfind('/') + 1));
  const bool code_names =
      (name.starts_with("perf-") && name.ends_with(".map")) || (name.starts_with("jit-") && name.ends_with(".dump"));
  const Fd root(::open(path.substr(0, place->folder).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return Fd();
  open_how how{};
  how.flags = static_cast<u64>(O_PATH | O_CLOEXEC | (code_names ? O_NOFOLLOW : 0));
  how.resolve = RESOLVE_IN_ROOT;  // keeps a container's links inside the container
  const Fd found(
      static_cast<int>(::syscall(SYS_openat2, root.get(), path.c_str() + place->folder + 1, &how, sizeof how)));
  // Opening a device may have side effects, so check the file type first.
  struct stat status{};
  if (!found || ::fstat(found.get(), &status) != 0) return Fd();
  if (!S_ISREG(status.st_mode)) {
    errno = EACCES;
    return Fd();
  }
  return keep_if(Fd(::open(own_link(found.get()).c_str(), kFlags)), code_names ? is_regular : is_elf);
}

}  // namespace peregrine
