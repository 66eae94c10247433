#include "symbol/lookup/build_id_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/bytes.h"
#include "base/file/copy_contents.h"
#include "base/file/folder_entries.h"
#include "base/file/make_folders.h"
#include "base/file/output_place.h"
#include "base/judged_file.h"
#include "base/types.h"
#include "symbol/elf/build_id.h"
#include "symbol/elf/elf_file.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine {
namespace {

constexpr unsigned kFolderMode = 0700;      // kernel symbols are not public
constexpr std::string_view kUp = "../../";  // from .build-id/xx to the cache
constexpr std::string_view kKernelCopies = "[kernel.kcore]";
constexpr std::array<std::string_view, 3> kLeaves = {"elf", "kallsyms", "vdso"};

std::string link_folder(const BuildId& id) { return ".build-id/" + id.hex().substr(0, 2); }
std::string link_name(const BuildId& id) { return id.hex().substr(2); }

// "/usr/bin/true" → "usr/bin/true": where a file of that name goes below the cache.
std::string_view place_of(std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);
  return name;
}

bool stays_below(std::string_view path) {
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (part == "." || part == "..") return false;
    path.remove_prefix(std::min(part.size() + 1, path.size()));
  }
  return true;
}

// linux-perf creates ~/.debug readable for everyone. A folder with another name was chosen by the user, who may share
// it on purpose.
void close_to_others(int folder, std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  struct stat status{}, named{};
  const bool usual = path.ends_with("/.debug") && ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid() &&
                     ::lstat(std::string(path).c_str(), &named) == 0 && named.st_ino == status.st_ino;  // not a link
  // This only narrows the mode. If it fails, the cache is as private as before.
  if (usual && (status.st_mode & 0077) != 0) static_cast<void>(::fchmod(folder, status.st_mode & 07700));
}

// The build-id of an open file, so that replacing the file at its path has no effect.
Result<BuildId> build_id_of(int fd, const std::string& name) {
  Fd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy) return fail_errno(name);
  const auto file = ElfFile::from_fd(std::move(copy), name);
  if (!file) return std::unexpected(file.error());
  return file->build_id();
}

// A path from a recording may name a device that has side effects when opened.
Result<JudgedFile> open_source(const std::string& source) {
  auto file = open_and_judge(source, {});
  if (!file) return std::unexpected(std::move(file.error()));
  if (file->fault != FileFault::None) return fail(ErrorKind::Unsupported, "{}: not a regular file", source);
  return std::move(*file);
}

// Always copies: the owner of a linked file could change it later. The build-id is checked on the copy, which only we
// can change. An existing file is kept.
Result<> keep_file(int folder, const std::string& leaf, const std::string& source, const BuildId& id) {
  struct stat status{};
  if (::fstatat(folder, leaf.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && owned_by_self_or_root(status)) return {};
  const auto from = open_source(source);
  if (!from) return std::unexpected(from.error());
  status = from->status;
  auto draft = OutputDraft::create(folder, leaf, 0600);
  if (!draft) return fail_errno(source, draft.error().system_errno);
  PEREGRINE_TRY(copy_contents(from->fd.get(), draft->fd(), static_cast<u64>(status.st_size), source));
  // Other tools recognize programs by their mode.
  if ((status.st_mode & 0111) != 0 && ::fchmod(draft->fd(), 0700) != 0) return fail_errno(source);
  const auto copied = build_id_of(draft->fd(), source);
  if (!copied || !copied->matches(id)) return fail(ErrorKind::Malformed, "{}: build-id does not match", source);
  return draft->take(true);
}

}  // namespace

std::string installed_debug_file(const BuildId& id) {
  return fmt::format("/usr/lib/debug/{}/{}.debug", link_folder(id), link_name(id));
}

std::string_view BuildIdCache::find(const BuildId& id) const {
  if (id.empty() || folder_.empty()) return {};
  for (const std::string_view leaf : kLeaves) {
    if (::access(build_id_cache_path(folder_, id, leaf).c_str(), F_OK) == 0) return leaf;
  }
  return {};
}

// linux-perf links files, and their owners can still change them.
bool BuildIdCache::is_ours(const BuildId& id) const {
  struct stat status{};
  return ::stat(build_id_cache_path(folder_, id, "elf").c_str(), &status) == 0 && owned_by_self_or_root(status);
}

// The target of an id's link, relative to the cache; empty if the link is missing or not in a cache's form.
std::string BuildIdCache::link_target(const BuildId& id) const {
  std::array<char, 4096> text{};
  const std::string link = fmt::format("{}/{}/{}", folder_, link_folder(id), link_name(id));
  const ssize_t size = ::readlink(link.c_str(), text.data(), text.size());
  if (size <= 0 || static_cast<std::size_t>(size) == text.size()) return {};
  const std::string_view target(text.data(), static_cast<std::size_t>(size));
  const std::string end = "/" + id.hex();
  if (!target.starts_with(kUp) || !target.ends_with(end) || target.size() <= kUp.size() + end.size()) return {};
  return std::string(target.substr(kUp.size()));
}

// Opens a folder of the cache component by component, without following links.
Result<Fd> BuildIdCache::open_folder(std::string_view below, bool make) const {
  if (!stays_below(below)) return fail(ErrorKind::Denied, "'{}' points outside the build-id cache", below);
  if (make) PEREGRINE_TRY(make_folders(folder_, kFolderMode));
  auto at = open_file(folder_, O_RDONLY | O_DIRECTORY);
  if (at && make) close_to_others(at->get(), folder_);
  while (at && !below.empty()) {
    const std::string part(below.substr(0, below.find('/')));
    below.remove_prefix(std::min(part.size() + 1, below.size()));
    if (part.empty()) continue;
    if (make) ::mkdirat(at->get(), part.c_str(), kFolderMode);
    Fd next(::openat(at->get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return fail_errno(fmt::format("{}/…/{}", folder_, part));
    at = std::move(next);
  }
  return at;
}

Result<> BuildIdCache::link_to(const BuildId& id, std::string_view below) const {
  const auto folder = open_folder(link_folder(id), true);
  if (!folder) return std::unexpected(folder.error());
  const std::string name = link_name(id), target = fmt::format("{}{}", kUp, below);
  if (::symlinkat(target.c_str(), folder->get(), name.c_str()) == 0) return {};
  if (errno != EEXIST) return fail_errno(folder_);
  if (!find(id).empty()) return {};
  // The link dangles: replace it.
  ::unlinkat(folder->get(), name.c_str(), 0);
  if (::symlinkat(target.c_str(), folder->get(), name.c_str()) != 0) return fail_errno(folder_);
  return {};
}

Result<> BuildIdCache::add_file(const BuildId& id, std::string_view name, const std::string& source,
                                const std::string& debug) const {
  if (find(id) == "elf" && is_ours(id)) return {};
  const auto opened = open_source(source);
  if (!opened) return std::unexpected(opened.error());
  const auto found = build_id_of(opened->fd.get(), source);
  if (!found) return std::unexpected(found.error());
  if (found->empty()) return fail(ErrorKind::NotFound, "{}: no build-id", source);
  if (id.size < 2 || !found->matches(id)) return fail(ErrorKind::Malformed, "{}: build-id does not match", source);
  const std::string below = fmt::format("{}/{}", place_of(name), id.hex());
  const auto folder = open_folder(below, true);
  if (!folder) return std::unexpected(folder.error());
  PEREGRINE_TRY(keep_file(folder->get(), "elf", source, id));
  const std::string debug_file = debug.empty() ? installed_debug_file(id) : debug;
  if (::access(debug_file.c_str(), R_OK) == 0) {
    const auto kept = keep_file(folder->get(), "debug", debug_file, id);
    if (!kept && kept.error().kind != ErrorKind::Malformed) return kept;  // debug information of another build
  }
  return link_to(id, below);
}

Result<> BuildIdCache::add_image(const BuildId& id, std::string_view name, std::string_view leaf, Bytes image) const {
  if (!find(id).empty()) return {};
  if (id.size < 2) return fail(ErrorKind::Malformed, "{}: no build-id", name);
  const std::string below = fmt::format("{}/{}", place_of(name), id.hex());
  const auto folder = open_folder(below, true);
  if (!folder) return std::unexpected(folder.error());
  auto draft = OutputDraft::create(folder->get(), std::string(leaf), 0600);
  if (!draft) return fail_errno(folder_, draft.error().system_errno);
  PEREGRINE_TRY(write_all(draft->fd(), image.data(), image.size()));
  PEREGRINE_TRY(draft->take(true));
  return link_to(id, below);
}

Result<bool> BuildIdCache::remove(const BuildId& id) const {
  const std::string below = link_target(id);
  if (below.empty()) return false;
  const std::size_t slash = below.rfind('/');
  const auto links = open_folder(link_folder(id), false);
  if (!links) return std::unexpected(links.error());
  if (::unlinkat(links->get(), link_name(id).c_str(), 0) != 0) return fail_errno(folder_);
  const auto parent = open_folder(std::string_view(below).substr(0, slash), false);
  if (!parent) return parent.error().kind == ErrorKind::NotFound ? Result<bool>(true) : std::unexpected(parent.error());
  if (const auto folder = open_folder(below, false)) {
    for (const std::string& file : names_in_folder(folder->get())) ::unlinkat(folder->get(), file.c_str(), 0);
  }
  const std::string last = below.substr(slash + 1);
  if (::unlinkat(parent->get(), last.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
  if (::unlinkat(parent->get(), last.c_str(), 0) != 0) return fail_errno(folder_);  // a file before linux-perf 3.x
  return true;
}

std::vector<BuildIdCache::Entry> BuildIdCache::entries() const {
  std::vector<Entry> all;
  const auto links = open_folder(".build-id", false);
  if (!links) return all;
  for (const std::string& start : names_in_folder(links->get())) {
    const auto folder = open_folder(".build-id/" + start, false);
    if (!folder || start.size() != 2) continue;
    for (const std::string& rest : names_in_folder(folder->get())) {
      const auto id = BuildId::parse(start + rest);
      if (!id || id->hex() != start + rest) continue;
      const std::string target = link_target(*id);
      const std::string_view leaf = find(*id);
      if (target.empty() || leaf.empty()) continue;
      if (leaf == "elf") {
        const auto kept = read_build_id(build_id_cache_path(folder_, *id, leaf));
        if (!kept || !kept->matches(*id)) continue;
      }
      const std::string name = target.substr(0, target.rfind('/'));
      all.push_back({*id, name.starts_with('[') ? name : "/" + name, std::string(leaf)});
    }
  }
  return all;
}

BuildIdCache::Holding BuildIdCache::holding_of(Entry entry) const {
  Holding holding{std::move(entry)};
  const auto folder = open_folder(link_target(holding.entry.id), false);
  if (!folder) return holding;
  struct stat status{};
  if (::fstat(folder->get(), &status) == 0) holding.last_used = status.st_mtim.tv_sec;
  for (const std::string& file : names_in_folder(folder->get())) {
    if (::fstatat(folder->get(), file.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    constexpr u64 kBlock = 512;
    if (status.st_nlink == 1) holding.bytes += static_cast<u64>(status.st_blocks) * kBlock;
    holding.last_used = std::max<i64>(holding.last_used, status.st_atim.tv_sec);
  }
  return holding;
}

Result<std::vector<BuildIdCache::Entry>> BuildIdCache::shrink_to(u64 limit) const {
  std::vector<Holding> holdings;
  u64 sum = 0;
  for (Entry& entry : entries()) {
    holdings.push_back(holding_of(std::move(entry)));
    sum += holdings.back().bytes;
  }
  std::ranges::stable_sort(holdings, {}, &Holding::last_used);
  std::vector<Entry> removed;
  for (Holding& holding : holdings) {
    if (sum <= limit) break;
    if (holding.bytes == 0) continue;
    if (auto done = remove(holding.entry.id); !done) return std::unexpected(std::move(done.error()));
    sum -= holding.bytes;
    removed.push_back(std::move(holding.entry));
  }
  return removed;
}

std::vector<std::string> BuildIdCache::kernel_copies(const BuildId& id, ReadFailures* failures) const {
  const std::string below = fmt::format("{}/{}", kKernelCopies, id.hex());
  const std::string path = fmt::format("{}/{}", folder_, below);
  std::vector<std::string> copies;
  const auto folder = open_folder(below, false);
  if (!folder) {
    note_failure(failures, path, folder.error());
    return copies;
  }
  FolderEntries entries(folder->get());
  while (const auto entry = entries.next()) copies.push_back(fmt::format("{}/{}", path, entry->name));
  note_failure(failures, path, entries.error());
  std::ranges::sort(copies);
  std::ranges::reverse(copies);
  return copies;
}

Result<std::string> BuildIdCache::new_kernel_copy(const BuildId& id, std::string_view stamp) const {
  const std::string below = fmt::format("{}/{}", kKernelCopies, id.hex());
  const auto folder = open_folder(below, true);
  if (!folder) return std::unexpected(folder.error());
  return fmt::format("{}/{}/{}", folder_, below, stamp);
}

std::vector<BuildId> BuildIdCache::ids_of(std::string_view name) const {
  std::vector<BuildId> ids;
  const auto folder = open_folder(place_of(name), false);
  if (!folder) return ids;
  for (const std::string& entry : names_in_folder(folder->get())) {
    const auto id = BuildId::parse(entry);
    if (id && link_target(*id) == fmt::format("{}/{}", place_of(name), entry)) ids.push_back(*id);
  }
  return ids;
}

}  // namespace peregrine
