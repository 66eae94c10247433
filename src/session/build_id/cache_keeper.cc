#include "session/build_id/cache_keeper.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <expected>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/build_id.h"
#include "base/container/sort_unique.h"
#include "base/file/output_place.h"
#include "base/judged_file.h"
#include "base/text/words.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "output/text/format/printable.h"
#include "pipeline/recording/output/kernel_copy.h"
#include "probe/registry/probe_cache.h"
#include "symbol/elf/build_id.h"
#include "symbol/elf/elf_file.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/kernel/kallsyms_cache.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine {
namespace {

// The path without links, as seen by a process with the root folder `root`.
std::string resolve_inside(const std::string& root, const std::string& path) {
  constexpr int kMostLinks = 40;
  std::filesystem::path done = "/";
  std::vector<std::filesystem::path> left;  // the next part last
  const auto push = [&left](const std::filesystem::path& parts) {
    const std::vector<std::filesystem::path> all(parts.begin(), parts.end());
    left.insert(left.end(), all.rbegin(), all.rend());
  };
  push(path);
  for (int links = 0; !left.empty() && links < kMostLinks;) {
    const std::filesystem::path part = std::move(left.back());
    left.pop_back();
    if (part == "..") done = done.parent_path();
    if (part == "/" || part == ".." || part == "." || part.empty()) continue;
    std::error_code error;
    const auto target = std::filesystem::read_symlink(root + (done / part).string(), error);
    if (error) {
      done /= part;
      continue;
    }
    if (target.is_absolute()) done = "/";
    push(target);
    ++links;
  }
  return done.string();
}

// The current time to a hundredth of a second, the format of linux-perf's folder names.
std::string kernel_copy_time() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  const auto part = now - std::chrono::system_clock::from_time_t(seconds);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &local);
  return fmt::format("{}{:02}", text, std::chrono::duration_cast<std::chrono::milliseconds>(part).count() / 10);
}

}  // namespace

NamesInside names_inside(const std::string& root, const std::vector<std::string>& files) {
  NamesInside names;
  for (const std::string& file : files) names[file] = resolve_inside(root, file);
  return names;
}

std::vector<std::string> files_of_lists(const std::vector<std::string>& lists) {
  std::vector<std::string> files;
  for (const std::string& list : lists) std::ranges::move(split_words(list), std::back_inserter(files));
  sort_unique(files);
  return files;
}

void list_kept_files(const KeptFiles& files, Sink& out) {
  for (const KeptFiles::File& file : files.files())
    out.format("{:>10} {} {}\n", file.size, file.id.hex(), kept_kind_name(file.kind));
}

Result<> remove_kept_files(const KeptFiles& files) {
  for (const KeptFiles::File& file : files.files())
    if (::unlink(file.path.c_str()) != 0) return fail_errno(file.path);
  return {};
}

CacheKeeper::CacheKeeper(CacheKeeperRequest request, std::unique_ptr<DebugServer> servers, SessionListener& listener)
    : request_(std::move(request)), listener_(listener), cache_(request_.folder), server_(std::move(servers)) {}

void CacheKeeper::list(Sink& out) const {
  for (const auto& entry : cache_.entries()) {
    // The vdso is cached for its symbols, although it is not a file.
    if (entry.leaf != "vdso") out.format("{} {}\n", entry.id.hex(), printable(entry.name));
  }
}

void CacheKeeper::print_missing(const data::Reader& reader, Sink& out) const {
  const auto& ids = reader.header().features.build_ids;
  if (!ids) return;
  for (const data::BuildIdEntry& entry : *ids) {
    if (cache_.find(entry.id).empty()) out.format("{:>40} {}\n", entry.id.hex(), printable(entry.name));
  }
}

void CacheKeeper::remove(const std::string& file) const {
  const auto id = read_build_id(request_.root + file);
  if (!id) return complain("remove", file, id.error());
  const auto removed = cache_.remove(*id);
  tell("Removing", *id, file, removed && *removed);
  if (!removed) return complain("remove", file, removed.error());
  if (!*removed) note(fmt::format("{} wasn't in the cache\n", file));
}

void CacheKeeper::purge(const std::string& file) const {
  bool all = true;
  for (const BuildId& id : cache_.ids_of(full_name(file))) {
    const auto removed = cache_.remove(id);
    tell("Removing", id, file, removed && *removed);
    all = all && removed;
  }
  note(fmt::format("Purging {}: {}\n", file, all ? "Ok" : "FAIL"));
}

void CacheKeeper::purge_all() const {
  bool all = true;
  for (const auto& entry : cache_.entries()) {
    const auto removed = cache_.remove(entry.id);
    note(fmt::format("Removing {} ({}): {}\n", printable(entry.name), entry.id.hex(), removed ? "Ok" : "FAIL"));
    all = all && removed;
  }
  note(fmt::format("Purged all: {}\n", all ? "Ok" : "FAIL"));
}

void CacheKeeper::add_kernel(const std::string& core) const {
  if (auto added = copy_running_kernel(core); !added) complain("add", core, added.error());
}

Result<> CacheKeeper::shrink(u64 quota) const {
  auto dropped = cache_.shrink_to(quota);
  if (!dropped) return std::unexpected(std::move(dropped.error()));
  for (const auto& entry : *dropped) note(fmt::format("Removing {} ({}): Ok\n", printable(entry.name), entry.id.hex()));
  return {};
}

bool CacheKeeper::keep(const std::string& file, bool anew) const {
  keep_file(file, anew);
  struct stat status{};
  return ::stat((request_.root + file).c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

void CacheKeeper::keep_file(const std::string& file, bool anew) const {
  const std::string_view verb = anew ? "update" : "add";
  const auto id = read_build_id(request_.root + file);
  if (!id) return complain(verb, file, id.error());
  if (anew) {
    if (const auto removed = cache_.remove(*id); !removed) return complain(verb, file, removed.error());
  }
  const auto added = cache_.add_file(*id, full_name(file), request_.root + file, fetched_debug(*id));
  tell(anew ? "Updating" : "Adding", *id, file, added.has_value());
  if (!added) return complain(verb, file, added.error());
  const auto elf = ElfFile::open(request_.root + file);
  const auto noted =
      elf ? cache_markers(build_id_cache_path(cache_.folder(), *id, "probes"), *elf, full_name(file)) : Result<>();
  if (!noted) complain(verb, file, noted.error());
}

// Debug information from a server, if it is not installed; empty: unavailable.
std::string CacheKeeper::fetched_debug(const BuildId& id) const {
  if (!server_ || ::access(installed_debug_file(id).c_str(), R_OK) == 0) return {};
  auto path = server_->fetch(id, ServerFile::DebugInfo);
  if (path) return std::move(*path);
  listener_.warning(path.error().message);
  return {};
}

// CACHE/[kernel.kcore]/<build-id>/<time>/: kcore, kallsyms, modules.
Result<> CacheKeeper::copy_running_kernel(const std::string& core) const {
  constexpr std::string_view kCore = "/proc/kcore";
  if (!core.ends_with(kCore)) return fail(ErrorKind::Unsupported, "only the running kernel's: {}", kCore);
  const Root root(core.substr(0, core.size() - kCore.size()));
  const auto id = read_build_id_notes(root.path("/sys/kernel/notes"));
  if (!id) return std::unexpected(id.error());
  if (const std::string known = request_.force ? "" : known_copy(root, *id); !known.empty()) {
    note(fmt::format("same kcore found in {}\n", known));
    return {};
  }
  auto folder = cache_.new_kernel_copy(*id, kernel_copy_time());
  if (!folder) return std::unexpected(std::move(folder.error()));
  const auto place = OutputPlace::at(*folder);
  if (!place) return std::unexpected(place.error());
  PEREGRINE_TRY(copy_kernel(root, place->folder(), place->name()));
  note(fmt::format("kcore added to build-id cache directory {}\n", *folder));
  return {};
}

// An existing copy of this kernel at the same addresses with the same modules.
std::string CacheKeeper::known_copy(const Root& root, const BuildId& id) const {
  const auto running = read_kernel_reference(root.path("/proc/kallsyms"));
  const auto modules = root.read("/proc/modules");
  for (std::string& copy : cache_.kernel_copies(id)) {
    const auto kept = read_kernel_reference(copy + "/kallsyms");
    const auto kept_modules = read_regular_file(copy + "/modules");
    if (running && kept && running->address() == kept->address() &&
        hash_modules(modules ? *modules : "") == hash_modules(kept_modules ? *kept_modules : ""))
      return std::move(copy);
  }
  return {};
}

// The path under which a file is cached: without links, unless the file no longer exists.
std::string CacheKeeper::full_name(const std::string& file) const {
  std::error_code error;
  if (const auto inside = request_.names.find(file); inside != request_.names.end()) return inside->second;
  const auto real = std::filesystem::canonical(file, error);
  if (!error) return real.string();
  return std::filesystem::absolute(file, error).lexically_normal().string();
}
void CacheKeeper::note(const std::string& line) const {
  if (request_.verbose) listener_.verbatim(line);
}
void CacheKeeper::tell(std::string_view what, const BuildId& id, const std::string& file, bool done) const {
  note(fmt::format("{} {} {}: {}\n", what, id.hex(), file, done ? "Ok" : "FAIL"));
}
void CacheKeeper::complain(std::string_view what, const std::string& file, const Error& error) const {
  std::string_view reason = error.message;
  if (const std::string name = file + ": "; reason.starts_with(name)) reason.remove_prefix(name.size());
  if (error.system_errno != 0) reason = std::strerror(error.system_errno);
  listener_.verbatim(fmt::format("Couldn't {} {}: {}\n", what, file, reason));
}

}  // namespace peregrine
