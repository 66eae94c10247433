#include "sys/root.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/fd.h"
#include "base/file/folder_entries.h"
#include "base/number/parse_number.h"
#include "base/text/trim.h"

namespace peregrine {

namespace {
constexpr std::size_t kTextLimit = std::size_t{64} << 20;  // the longest text, kallsyms, is about 15 MB
constexpr std::size_t kBuffer = 16384;
}  // namespace

std::string Root::path(std::string_view absolute) const {
  std::string result = prefix_;
  if (absolute.empty() || absolute.front() != '/') result += '/';
  result += absolute;
  return result;
}

// Most of these files are short. A stack buffer avoids the 128 KB heap buffer of read_file, which matters when -a
// reads the status and maps of every process.
Result<std::string> Root::read(std::string_view absolute) const {
  const std::string name = path(absolute);
  const auto fd = open_file(name, O_RDONLY);
  if (!fd) return std::unexpected(fd.error());
  char buffer[kBuffer];
  std::string text;
  for (;;) {
    const ssize_t count = ::read(fd->get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(name);
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > kTextLimit) return fail(ErrorKind::Malformed, "{}: larger than {} bytes", name, kTextLimit);
  }
}

std::optional<std::string> Root::line(std::string_view absolute) const {
  auto text = read(absolute);
  if (!text) return std::nullopt;
  text->resize(std::min(text->find('\n'), text->size()));
  return std::move(*text);
}

std::optional<i64> Root::number(std::string_view absolute) const {
  const auto text = line(absolute);
  if (!text) return std::nullopt;
  std::string_view digits = trim(*text);
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  const auto value = to_number(digits);
  if (!value) return std::nullopt;
  return negative ? -static_cast<i64>(*value) : static_cast<i64>(*value);
}

bool Root::exists(std::string_view absolute) const { return ::access(path(absolute).c_str(), F_OK) == 0; }
bool Root::readable(std::string_view absolute) const { return ::access(path(absolute).c_str(), R_OK) == 0; }

bool Root::is_directory(std::string_view absolute) const {
  struct stat status;
  return ::stat(path(absolute).c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::optional<std::string> Root::link(std::string_view absolute) const {
  char target[4096];
  const ssize_t size = ::readlink(path(absolute).c_str(), target, sizeof target);
  if (size < 0) return std::nullopt;
  return std::string(target, static_cast<std::size_t>(size));
}

std::vector<std::string> Root::names(std::string_view absolute) const {
  std::vector<std::string> result;
  FolderEntries entries(path(absolute));
  while (const auto entry = entries.next()) result.emplace_back(entry->name);
  return result;
}

std::vector<std::string> Root::sorted_names(std::string_view absolute) const {
  auto result = names(absolute);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace peregrine
