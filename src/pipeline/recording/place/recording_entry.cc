#include "pipeline/recording/place/recording_entry.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/file/folder_entries.h"
#include "base/result.h"
#include "data/header/recording_magic.h"

namespace peregrine {
namespace {

using Kind = RecordingEntry::Kind;

constexpr std::string_view kCopiedKernel[] = {"kcore", "kallsyms", "modules", "kcore_extents"};

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}
bool is_data_file(std::string_view name) {
  return name == "data" || (name.starts_with("data.") && is_number(name.substr(5)));
}
// kcore_dir, or kcore_dir__PID of a guest.
bool is_kernel_folder(std::string_view name) {
  constexpr std::string_view kName = "kcore_dir", kGuest = "kcore_dir__";
  return name == kName || (name.starts_with(kGuest) && is_number(name.substr(kGuest.size())));
}
bool is_copied_kernel(std::string_view name) {
  return std::ranges::find(kCopiedKernel, name) != std::end(kCopiedKernel);
}

struct FileLook {
  bool empty = false, recording = false;
};

Result<FileLook> look_at_file(int folder, const std::string& name) {
  const Fd fd(::openat(folder, name.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0) return fail_errno(name);
  if (!S_ISREG(status.st_mode)) return FileLook{};
  std::array<std::byte, data::kMagicSize> beginning{};
  const auto got = pread_full(fd.get(), beginning.data(), beginning.size(), 0);
  if (!got) return std::unexpected(got.error());
  return FileLook{status.st_size == 0, data::begins_recording(Bytes(beginning).first(*got))};
}

struct Name {
  std::string name;
  struct stat status{};
};

Result<std::vector<Name>> names_in(int folder, const std::string& path) {
  std::vector<Name> names;
  FolderEntries entries(folder);
  while (const auto entry = entries.next()) {
    Name& found = names.emplace_back(Name{std::string(entry->name)});
    if (::fstatat(folder, found.name.c_str(), &found.status, AT_SYMLINK_NOFOLLOW) == 0) continue;
    if (errno != ENOENT) return fail_errno(path);
    names.pop_back();  // removed after it was listed
  }
  if (entries.error() != 0) return fail_errno(path, entries.error());
  return names;
}

Result<Fd> open_folder(int folder, const std::string& name) {
  Fd fd(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return fail_errno(name);
  return fd;
}

// Returns the first name that does not belong to a recording, or "".
Result<std::string> foreign_name(int folder, const std::vector<Name>& names) {
  for (const Name& one : names) {
    if (S_ISREG(one.status.st_mode) && is_data_file(one.name)) continue;
    if (!S_ISDIR(one.status.st_mode) || !is_kernel_folder(one.name)) return one.name;
    const auto kernel = open_folder(folder, one.name);
    if (!kernel) return std::unexpected(kernel.error());
    const auto copies = names_in(kernel->get(), one.name);
    if (!copies) return std::unexpected(copies.error());
    for (const Name& copy : *copies)
      if (!S_ISREG(copy.status.st_mode) || !is_copied_kernel(copy.name)) return one.name + "/" + copy.name;
  }
  return std::string();
}

Result<RecordingEntry> judge_folder(int folder, RecordingEntry entry) {
  const auto names = names_in(folder, ".");
  if (!names) return std::unexpected(names.error());
  entry.kind = Kind::Foreign;
  const auto foreign = foreign_name(folder, *names);
  if (!foreign) return std::unexpected(foreign.error());
  if (names->empty()) {
    entry.kind = Kind::EmptyFolder;
  } else if (!foreign->empty()) {
    entry.why = fmt::format("is a folder that contains '{}'", *foreign);
  } else if (const auto data = look_at_file(folder, "data"); !data || !data->recording) {
    // A recorder that is killed before its first byte leaves an empty file: nothing is lost.
    const bool all_empty = std::ranges::all_of(
        *names, [](const Name& one) { return S_ISREG(one.status.st_mode) && one.status.st_size == 0; });
    if (all_empty) entry.kind = Kind::Folder;
    entry.why = "is a directory, but its 'data' is not a recording";
  } else {
    entry.kind = Kind::Folder;
  }
  return entry;
}

Result<RecordingEntry> judge_file(const OutputPlace& place, RecordingEntry entry) {
  const auto look = look_at_file(place.folder(), place.name());
  entry.kind = Kind::Foreign;
  if (!look) {
    entry.why = "cannot be read: " + look.error().message;
    return entry;
  }
  entry.why = "is not a recording";
  if (look->recording) entry.kind = Kind::File;
  if (look->empty) entry.kind = Kind::EmptyFile;
  return entry;
}

// Judges a link by its target, whoever owns the link: nothing is written there.
RecordingEntry judge_link(const OutputPlace& place, RecordingEntry entry) {
  entry.kind = Kind::OtherLink;
  struct stat end{};
  if (::fstatat(place.folder(), place.name().c_str(), &end, 0) != 0) {
    if (errno == ENOENT) entry.kind = Kind::DanglingLink;
  } else if (S_ISREG(end.st_mode)) {
    const auto look = look_at_file(place.folder(), place.name());
    if (look && look->recording) entry.kind = Kind::Link;
  } else if (S_ISDIR(end.st_mode)) {
    const Fd folder(::openat(place.folder(), place.name().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const auto judged = judge_folder(folder.get(), {});
    if (judged && judged->kind == Kind::Folder) entry.kind = Kind::Link;
  }
  return entry;
}

Result<> remove_names(int folder, bool (*is_ours)(std::string_view)) {
  const auto names = names_in(folder, ".");
  if (!names) return std::unexpected(names.error());
  for (const Name& one : *names) {
    if (S_ISREG(one.status.st_mode) && is_ours(one.name) && ::unlinkat(folder, one.name.c_str(), 0) != 0)
      return fail_errno(one.name);
  }
  return {};
}

}  // namespace

Result<RecordingEntry> judge_entry(const OutputPlace& place) {
  auto found = place.status();
  if (!found) return std::unexpected(std::move(found.error()));
  if (!*found) return RecordingEntry{};
  RecordingEntry entry{.kind = Kind::Special, .status = **found};
  if (S_ISLNK(entry.status.st_mode)) return judge_link(place, std::move(entry));
  if (S_ISREG(entry.status.st_mode)) return judge_file(place, std::move(entry));
  if (!S_ISDIR(entry.status.st_mode)) return entry;
  const auto folder = open_folder(place.folder(), place.name());
  auto judged = folder ? judge_folder(folder->get(), entry) : std::unexpected(folder.error());
  if (judged) return judged;
  entry.kind = Kind::Foreign;
  entry.why = "cannot be read: " + judged.error().message;
  return entry;
}

Result<> remove_folder_contents(int folder) {
  PEREGRINE_TRY(remove_names(folder, is_data_file));
  const auto names = names_in(folder, ".");
  if (!names) return std::unexpected(names.error());
  for (const Name& one : *names) {
    if (!S_ISDIR(one.status.st_mode) || !is_kernel_folder(one.name)) continue;
    const auto kernel = open_folder(folder, one.name);
    if (!kernel) return std::unexpected(kernel.error());
    PEREGRINE_TRY(remove_names(kernel->get(), is_copied_kernel));
    if (::unlinkat(folder, one.name.c_str(), AT_REMOVEDIR) != 0) return fail_errno(one.name);
  }
  return {};
}

Result<> remove_entry(const OutputPlace& place, const RecordingEntry& entry) {
  if (entry.kind == Kind::Nothing) return {};
  const auto now = place.status();
  if (!now) return std::unexpected(now.error());
  if (!*now) return {};
  if (!entry.is_removable() || !is_same(**now, entry.status))
    return fail(ErrorKind::Denied, "'{}' was replaced by another file", place.path());
  if (!S_ISDIR(entry.status.st_mode)) return place.remove();
  const auto folder = open_folder(place.folder(), place.name());
  if (!folder) return std::unexpected(folder.error());
  PEREGRINE_TRY(remove_folder_contents(folder->get()));
  return place.remove(AT_REMOVEDIR);
}

Result<> remove_recording(const std::string& path) {
  auto place = OutputPlace::at(path);
  if (!place) return std::unexpected(std::move(place.error()));
  return remove_recording(*place);
}

Result<> remove_recording(const OutputPlace& place) {
  const auto entry = judge_entry(place);
  if (!entry) return std::unexpected(entry.error());
  if (entry->kind != Kind::File && entry->kind != Kind::Folder)
    return fail(ErrorKind::Denied, "'{}' {}", place.path(), entry->why.empty() ? "is not a recording" : entry->why);
  return remove_entry(place, *entry);
}

}  // namespace peregrine
