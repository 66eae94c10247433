#include "symbol/build_id_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "symbol/build_id.h"
#include "symbol/debug_file.h"

namespace peregrine {
namespace {

constexpr std::string_view kUp = "../../";  // from .build-id/xx to the cache
constexpr std::string_view kKernelCopies = "[kernel.kcore]";
constexpr std::array<std::string_view, 3> kLeaves = {"elf", "kallsyms", "vdso"};

std::string link_folder(const BuildId& id) { return ".build-id/" + id.hex().substr(0, 2); }
std::string link_name(const BuildId& id) { return id.hex().substr(2); }

// "/usr/bin/true" → "usr/bin/true": where a name lies below the cache.
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

// Names in a folder, without "." and "..".
std::vector<std::string> names_in(int folder) {
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const opened = copy < 0 ? nullptr : ::fdopendir(copy);
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opened, &::closedir);
  std::vector<std::string> names;
  while (const dirent* entry = opened == nullptr ? nullptr : ::readdir(opened)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

// A file that appears under its name only when it is whole.
class NewFile {
 public:
  NewFile(int folder, std::string_view name)
      : folder_(folder), name_(name), draft_(fmt::format(".{}.{}", name, ::getpid())) {
    ::unlinkat(folder_, draft_.c_str(), 0);
    fd_ = Fd(::openat(folder_, draft_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0755));
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() { ::unlinkat(folder_, draft_.c_str(), 0); }

  int fd() const { return fd_.get(); }
  bool ok() const { return fd_.get() >= 0; }
  Result<> keep() {
    if (::renameat(folder_, draft_.c_str(), folder_, name_.c_str()) != 0) return fail_errno(name_);
    return {};
  }

 private:
  int folder_;
  std::string name_, draft_;
  Fd fd_;
};

Result<> copy_file(int folder, std::string_view leaf, const std::string& source) {
  const auto from = open_file(source, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!from) return std::unexpected(from.error());
  struct stat status{};
  if (::fstat(from->get(), &status) != 0 || !S_ISREG(status.st_mode))
    return fail(ErrorKind::Unsupported, "{}: not a regular file", source);
  NewFile file(folder, leaf);
  if (!file.ok()) return fail_errno(source);
  for (ssize_t left = status.st_size; left > 0;) {
    const ssize_t sent = ::sendfile(file.fd(), from->get(), nullptr, static_cast<std::size_t>(left));
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return fail_errno(source);
    left -= sent;
  }
  return file.keep();
}

// A hard link costs nothing; on another file system, or of somebody else's file, it takes a copy.
Result<> keep_file(int folder, const std::string& leaf, const std::string& source) {
  if (::linkat(AT_FDCWD, source.c_str(), folder, leaf.c_str(), AT_SYMLINK_FOLLOW) == 0 || errno == EEXIST) return {};
  return copy_file(folder, leaf, source);
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

// Where the link of an id leads, below the cache; empty when there is none that a cache would have.
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

// Opens a folder of the cache component by component; links are not followed.
Result<Fd> BuildIdCache::open_folder(std::string_view below, bool make) const {
  if (!stays_below(below)) return fail(ErrorKind::Denied, "'{}' would lead out of the build-id cache", below);
  std::error_code error;
  if (make) std::filesystem::create_directories(folder_, error);
  auto at = open_file(folder_, O_RDONLY | O_DIRECTORY);
  while (at && !below.empty()) {
    const std::string part(below.substr(0, below.find('/')));
    below.remove_prefix(std::min(part.size() + 1, below.size()));
    if (part.empty()) continue;
    if (make) ::mkdirat(at->get(), part.c_str(), 0755);
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
  // A link to what is gone.
  ::unlinkat(folder->get(), name.c_str(), 0);
  if (::symlinkat(target.c_str(), folder->get(), name.c_str()) != 0) return fail_errno(folder_);
  return {};
}

Result<> BuildIdCache::add_file(const BuildId& id, std::string_view name, const std::string& source,
                                const std::string& debug) const {
  if (find(id) == "elf") return {};
  const auto found = read_build_id(source);
  if (!found) return std::unexpected(found.error());
  if (id.size < 2 || !found->matches(id)) return fail(ErrorKind::Malformed, "{}: its build-id is another one", source);
  const std::string below = fmt::format("{}/{}", place_of(name), id.hex());
  const auto folder = open_folder(below, true);
  if (!folder) return std::unexpected(folder.error());
  PEREGRINE_TRY(keep_file(folder->get(), "elf", source));
  const std::string debug_file = debug.empty() ? installed_debug_file(id) : debug;
  if (::access(debug_file.c_str(), R_OK) == 0) {
    if (auto kept = keep_file(folder->get(), "debug", debug_file); !kept) return kept;
  }
  return link_to(id, below);
}

Result<> BuildIdCache::add_image(const BuildId& id, std::string_view name, std::string_view leaf, Bytes image) const {
  if (!find(id).empty()) return {};
  if (id.size < 2) return fail(ErrorKind::Malformed, "{}: no build-id", name);
  const std::string below = fmt::format("{}/{}", place_of(name), id.hex());
  const auto folder = open_folder(below, true);
  if (!folder) return std::unexpected(folder.error());
  NewFile file(folder->get(), leaf);
  if (!file.ok()) return fail_errno(folder_);
  PEREGRINE_TRY(write_all(file.fd(), image.data(), image.size()));
  PEREGRINE_TRY(file.keep());
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
    for (const std::string& file : names_in(folder->get())) ::unlinkat(folder->get(), file.c_str(), 0);
  }
  const std::string last = below.substr(slash + 1);
  if (::unlinkat(parent->get(), last.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
  if (::unlinkat(parent->get(), last.c_str(), 0) != 0) return fail_errno(folder_);  // before 3.x it was a file
  return true;
}

std::vector<BuildIdCache::Entry> BuildIdCache::entries() const {
  std::vector<Entry> all;
  const auto links = open_folder(".build-id", false);
  if (!links) return all;
  for (const std::string& start : names_in(links->get())) {
    const auto folder = open_folder(".build-id/" + start, false);
    if (!folder || start.size() != 2) continue;
    for (const std::string& rest : names_in(folder->get())) {
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
  for (const std::string& file : names_in(folder->get())) {
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

std::vector<std::string> BuildIdCache::kernel_copies(const BuildId& id) const {
  const std::string below = fmt::format("{}/{}", kKernelCopies, id.hex());
  std::vector<std::string> copies;
  const auto folder = open_folder(below, false);
  if (!folder) return copies;
  for (const std::string& name : names_in(folder->get()))
    copies.push_back(fmt::format("{}/{}/{}", folder_, below, name));
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
  for (const std::string& entry : names_in(folder->get())) {
    const auto id = BuildId::parse(entry);
    if (id && link_target(*id) == fmt::format("{}/{}", place_of(name), entry)) ids.push_back(*id);
  }
  return ids;
}

}  // namespace peregrine
