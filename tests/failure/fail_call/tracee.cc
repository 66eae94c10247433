#include "failure/fail_call/tracee.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <sstream>
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "failure/fail_call/call_table.h"

namespace peregrine::failure {
namespace {

pid_t process_of(pid_t thread) {
  const auto status = read_file(fmt::format("/proc/{}/status", thread));
  const std::size_t at = status ? status->find("\nTgid:\t") : std::string::npos;
  pid_t pid = thread;
  if (at != std::string::npos) std::from_chars(status->data() + at + 7, status->data() + status->size(), pid);
  return pid;
}

}  // namespace

Tracees::Image Tracees::look_at(pid_t thread) const {
  Image image;
  struct stat status = {};
  image.is_program = ::stat(fmt::format("/proc/{}/exe", thread).c_str(), &status) == 0 &&
                     status.st_dev == program_.st_dev && status.st_ino == program_.st_ino;
  if (!image.is_program) return image;
  const auto maps = read_file(fmt::format("/proc/{}/maps", thread));
  if (!maps) return image;
  std::istringstream lines(*maps);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("/libc.so.") == std::string::npos || line.find("r-x") == std::string::npos) continue;
    std::pair<u64, u64> range;
    const char* end = line.data() + line.size();
    const auto first = std::from_chars(line.data(), end, range.first, 16);
    if (first.ptr != end) std::from_chars(first.ptr + 1, end, range.second, 16);
    image.libc.push_back(range);
  }
  return image;
}

bool Tracees::owns(const seccomp_notif& call) {
  constexpr std::size_t kKnown = 4096;  // thread ids are reused
  const auto thread = static_cast<pid_t>(call.pid);
  if (known_.size() > kKnown) known_.clear();
  auto at = known_.find(thread);
  if (at == known_.end() || (at->second.is_program && at->second.libc.empty()))
    at = known_.insert_or_assign(thread, look_at(thread)).first;
  const u64 place = call.data.instruction_pointer;
  return at->second.is_program && std::ranges::any_of(at->second.libc, [&](auto& range) {
           return place >= range.first && place < range.second;
         });
}

std::string read_memory(pid_t thread, u64 address, std::size_t size) {
  const auto memory = open_file(fmt::format("/proc/{}/mem", thread), O_RDONLY);
  std::string bytes(size, 0);
  const auto count = memory ? pread_full(memory->get(), bytes.data(), size, address) : Result<std::size_t>(0);
  bytes.resize(count ? *count : 0);
  return bytes;
}

bool write_memory(pid_t thread, u64 address, const std::string& bytes) {
  const auto memory = open_file(fmt::format("/proc/{}/mem", thread), O_RDWR);
  return memory && pwrite_all(memory->get(), bytes.data(), bytes.size(), address, "memory").has_value();
}

Fd copy_descriptor(pid_t thread, int descriptor) {
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, process_of(thread), 0)));
  if (!process) return {};
  return Fd(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), descriptor, 0)));
}

bool is_nonblocking(pid_t thread, int descriptor) {
  const auto text = read_file(fmt::format("/proc/{}/fdinfo/{}", thread, descriptor));
  const std::size_t at = text ? text->find("flags:\t") : std::string::npos;
  if (at == std::string::npos) return false;
  unsigned flags = 0;
  std::from_chars(text->data() + at + 7, text->data() + text->size(), flags, 8);
  return (flags & O_NONBLOCK) != 0;
}

std::string describe(const Call& call, const seccomp_notif& notice) {
  const auto thread = static_cast<pid_t>(notice.pid);
  std::string text(call.name);
  if (call.call_class == CallClass::Bpf) text += fmt::format(" command {}", notice.data.args[0]);
  if (call.path >= 0) {
    constexpr std::size_t kPage = 4096;
    const u64 address = notice.data.args[call.path];
    const std::string bytes = read_memory(thread, address, kPage - address % kPage);  // the next page may not be mapped
    text += ' ' + bytes.substr(0, bytes.find('\0'));
  }
  if (call.descriptor >= 0) {
    const int descriptor = static_cast<int>(notice.data.args[call.descriptor]);
    char target[4096];
    const ssize_t size = ::readlink(fmt::format("/proc/{}/fd/{}", thread, descriptor).c_str(), target, sizeof target);
    text +=
        fmt::format(" {} ({})", descriptor, std::string_view(target, size > 0 ? static_cast<std::size_t>(size) : 0));
  }
  return text;
}

}  // namespace peregrine::failure
