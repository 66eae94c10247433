#include "capture/tracer/trace_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <expected>
#include <utility>

#include "base/result.h"
#include "base/text/trim.h"

namespace peregrine {
namespace {

constexpr std::string_view kInstancePrefix = "peregrine-";

std::unexpected<Error> refused(const std::string& what, int reason) {
  const std::string message = fmt::format("{}: {}", what, std::strerror(reason));
  switch (reason) {
    case EACCES:
    case EPERM:
      return std::unexpected(Error{ErrorKind::Denied, message}.with_hint(
          ::geteuid() != 0 ? "run as root" : "root is denied as well: kernel lockdown, or the host forbids it"));
    case ENOENT:
      return std::unexpected(
          Error{ErrorKind::Unsupported, message}.with_hint("that part of ftrace is not built into this kernel"));
    case EBUSY:
      return std::unexpected(Error{ErrorKind::System, message}.with_hint("another program is tracing: stop it first"));
    default:
      return std::unexpected(Error{.kind = ErrorKind::System, .message = message, .system_errno = reason});
  }
}

}  // namespace

Result<> TraceFolder::write(std::string_view file, std::string_view value, int flags) const {
  const std::string path = path_of(file);
  const auto fd = open_path(path, O_WRONLY | flags);
  if (!fd) return std::unexpected(fd.error());
  // O_TRUNC alone sets an empty value; other values need the newline.
  const std::string text = std::string(value) + "\n";
  // Lists take one word at each write(2), and return its length; write_all() then writes the next one.
  const auto written = write_all(fd->get(), text.data(), text.size());
  if (!written) return refused(path, written.error().system_errno);
  return {};
}

Result<> TraceFolder::add_once(std::string_view file, std::string_view text) const {
  const std::string path = path_of(file);
  const auto fd = open_path(path, O_WRONLY | O_APPEND);
  if (!fd) return std::unexpected(fd.error());
  const std::string line = std::string(text) + "\n";
  const ssize_t taken = ::write(fd->get(), line.data(), line.size());
  if (taken < 0) return refused(path, errno);
  if (std::cmp_greater_equal(taken, text.size())) return {};
  return fail(ErrorKind::Usage, "{}: the text is longer than the kernel takes: only its first {} bytes were written",
              path, taken);
}

Result<Fd> TraceFolder::open_path(const std::string& path, int flags) const {
  Fd fd(::open(root_.path(path).c_str(), O_CLOEXEC | flags));
  if (!fd) return refused(path, errno);
  return fd;
}

Result<> TraceFolder::set(std::string_view file, std::string_view value) const { return write(file, value, O_TRUNC); }
Result<> TraceFolder::add(std::string_view file, std::string_view value) const { return write(file, value, O_APPEND); }

Result<Fd> TraceFolder::open_pipe() const { return open("trace_pipe"); }

Result<Fd> TraceFolder::open(std::string_view file) const { return open_path(path_of(file), O_RDONLY | O_NONBLOCK); }

Result<TraceFolder> TraceFolder::make_instance(const std::string& name) const {
  TraceFolder instance(root_, instance_path(name));
  if (::mkdir(root_.path(instance.path_).c_str(), 0750) == 0) return instance;
  return refused(fmt::format("cannot create tracing instance '{}'", instance.path_), errno);
}

bool TraceFolder::is_instance_of_ours() const {
  const std::string prefix = fmt::format("/instances/{}", kInstancePrefix);
  const std::size_t found = path_.rfind(prefix);
  return found != std::string::npos &&
         path_.find_first_not_of("0123456789-", found + prefix.size()) == std::string::npos;
}

bool TraceFolder::remove() const { return ::rmdir(root_.path(path_).c_str()) == 0; }

std::string instance_name() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return fmt::format("{}{}-{}", kInstancePrefix, ::getpid(), std::chrono::nanoseconds(now).count());
}

std::string kept_instance_name(std::string_view name) { return fmt::format("{}{}", kInstancePrefix, name); }

std::optional<std::string> kept_name_of(std::string_view instance) {
  if (!instance.starts_with(kInstancePrefix)) return std::nullopt;
  instance.remove_prefix(kInstancePrefix.size());
  if (instance.empty() || instance.find_first_not_of("0123456789-") == std::string_view::npos) return std::nullopt;
  return std::string(instance);
}

std::vector<std::string> listed_items(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::string_view line = trim(text.substr(0, text.find('\n')));
    text.remove_prefix(
        std::min(text.size(), text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1));
    if (line.empty() || line.starts_with('#') || line == "no pid" || line == "all") continue;
    items.emplace_back(line.substr(0, line.find_first_of(" \t")));
  }
  return items;
}

}  // namespace peregrine
