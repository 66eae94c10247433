#include "pipeline/recording/place/unpacked_recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <expected>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/fd.h"
#include "base/file/copy_contents.h"
#include "base/file/output_place.h"
#include "base/types.h"
#include "pipeline/recording/place/recording_entry.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

using Kind = RecordingEntry::Kind;

Result<RecordingEntry> judge_place(const OutputPlace& place, bool replace) {
  auto there = judge_entry(place);
  if (!there) return there;
  if (there->kind != Kind::Nothing && !replace)
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("{} already exists", place.path())}.with_hint(
        "move it, or replace it with -f"));
  if (!there->is_removable())
    return std::unexpected(
        Error{ErrorKind::Denied, fmt::format("cannot replace '{}': it is not a recording", place.path())}.with_hint(
            "move it"));
  return there;
}

Result<> copy_file(const std::string& source, int to) {
  const auto from = open_file(source, O_RDONLY | O_NOFOLLOW);
  if (!from) return std::unexpected(from.error());
  struct stat status{};
  if (::fstat(from->get(), &status) != 0) return fail_errno(source);
  return copy_contents(from->get(), to, static_cast<u64>(status.st_size), source);
}

// Exchanges the draft and the old entry. If the file system cannot exchange names, removes the old entry first.
Result<> exchange(const OutputPlace& place, const OutputPlace& draft, const RecordingEntry& there) {
  const int folder = place.folder();
  const auto rename = [&](unsigned flags) {
    return ::renameat2(folder, draft.name().c_str(), folder, place.name().c_str(), flags) == 0;
  };
  if (there.kind == Kind::Nothing) return rename(RENAME_NOREPLACE) || rename(0) ? Result<>() : fail_errno(place.path());
  if (rename(RENAME_EXCHANGE)) return {};
  if (errno != EINVAL && errno != ENOSYS) return fail_errno(place.path());
  PEREGRINE_TRY(remove_entry(place, there));
  return rename(0) ? Result<>() : fail_errno(place.path());
}

Result<> put_file(const std::string& source, const OutputPlace& place, const RecordingEntry& there) {
  auto draft = OutputDraft::create(place, kPrivateMode);
  if (!draft) return std::unexpected(std::move(draft.error()));
  PEREGRINE_TRY(copy_file(source, draft->fd()));
  // Renaming replaces a file atomically; a folder must be removed first.
  if (there.kind == Kind::Folder || there.kind == Kind::EmptyFolder) PEREGRINE_TRY(remove_entry(place, there));
  return draft->take(there.kind != Kind::Nothing);
}

Result<> put_folder(const std::string& source, const OutputPlace& place, const RecordingEntry& there) {
  const auto name = make_with_draft_name(
      place.name(), [&](const char* free) { return ::mkdirat(place.folder(), free, 0700) == 0 ? 0 : errno; });
  if (!name) return fail_errno(place.path(), name.error().system_errno);
  const auto draft = place.sibling(*name);
  if (!draft) return std::unexpected(draft.error());
  std::error_code error;
  fs::copy(source, draft->path(), fs::copy_options::recursive, error);
  Result<> done = error ? fail_errno(place.path(), error.value()) : exchange(place, *draft, there);
  if (done) return remove_entry(*draft, there);
  fs::remove_all(draft->path(), error);
  return done;
}

}  // namespace

Result<> put_recording(const std::string& source, const std::string& path, bool replace) {
  const auto place = OutputPlace::at(path);
  if (!place) return std::unexpected(place.error());
  const auto there = judge_place(*place, replace);
  if (!there) return std::unexpected(there.error());
  std::error_code error;
  return fs::is_directory(source, error) ? put_folder(source, *place, *there) : put_file(source, *place, *there);
}

}  // namespace peregrine
