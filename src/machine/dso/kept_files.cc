#include "machine/dso/kept_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/file/folder_entries.h"
#include "base/file/make_folders.h"
#include "base/file/replace_file.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr u64 kMostBytes = u64{64} << 20;
constexpr KeptKind kKinds[] = {KeptKind::Lines, KeptKind::Frames};

}  // namespace

std::string_view kept_kind_name(KeptKind kind) { return kind == KeptKind::Lines ? "lines" : "frames"; }

std::string KeptFiles::path_of(KeptKind kind, const BuildId& id) const {
  return folder_ + "/" + id.hex() + "." + std::string(kept_kind_name(kind));
}

std::optional<KeptFiles::Opened> KeptFiles::open(KeptKind kind, const BuildId& id) const {
  if (quota_ == 0 || !id) return std::nullopt;
  auto fd = open_file(path_of(kind, id), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status{};
  if (!fd || ::fstat(fd->get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto size = static_cast<u64>(status.st_size);
  if (size > kMostBytes) return std::nullopt;
  ::futimens(fd->get(), nullptr);
  return Opened{std::move(*fd), size};
}

Result<> KeptFiles::save(KeptKind kind, const BuildId& id, std::string_view bytes) const {
  if (!id || bytes.size() > std::min(kMostBytes, quota_)) return {};
  PEREGRINE_TRY(make_folders(folder_, 0700));
  PEREGRINE_TRY(replace_file(path_of(kind, id), bytes, 0600));
  u64 sum = 0;
  const std::vector<File> all = files();
  for (const File& file : all) sum += file.size;
  for (const File& file : all) {
    if (sum <= quota_) break;
    if (::unlink(file.path.c_str()) == 0) sum -= file.size;
  }
  return {};
}

std::vector<KeptFiles::File> KeptFiles::files() const {
  std::vector<File> files;
  FolderEntries entries(folder_);
  while (const auto entry = entries.next()) {
    const std::string_view name = entry->name;
    const std::size_t dot = std::min(name.find('.'), name.size());
    const auto kind = std::ranges::find(kKinds, name.substr(std::min(dot + 1, name.size())), kept_kind_name);
    const auto id = BuildId::parse(name.substr(0, dot));
    struct stat status{};
    const std::string path = folder_ + "/" + std::string(name);
    if (kind == std::end(kKinds) || !id || ::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    files.push_back({path, *kind, *id, static_cast<u64>(status.st_size), status.st_mtim.tv_sec});
  }
  std::ranges::sort(files,
                    [](const File& a, const File& b) { return a.used != b.used ? a.used < b.used : a.path < b.path; });
  return files;
}

}  // namespace peregrine
