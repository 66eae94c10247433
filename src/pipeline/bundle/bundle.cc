#include "pipeline/bundle/bundle.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/fd.h"
#include "base/judged_file.h"
#include "base/types.h"
#include "symbol/compression/stored_elf.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine {
namespace {

constexpr std::string_view kRecording = "perf.data", kInner = "perf.symbols.tar";
constexpr std::array<std::string_view, 4> kLeaves = {"elf", "debug", "kallsyms", "vdso"};
// A recording's folder holds files and at most one level of folders.
constexpr std::size_t kMostDepth = 3, kMostName = 512;

// "usr/bin/true/<40 digits>/elf" → the id, "/usr/bin/true" and "elf". Old caches have no leaf, which means "elf".
std::optional<BuildIdCache::Entry> entry_of(std::string_view name) {
  const auto last_part = [&] {
    const std::size_t slash = name.rfind('/');
    const std::string_view part = name.substr(slash == std::string_view::npos ? 0 : slash + 1);
    name = name.substr(0, slash == std::string_view::npos ? 0 : slash);
    return part;
  };
  std::string_view leaf = last_part();
  std::string_view hex = leaf;
  if (std::ranges::find(kLeaves, leaf) != kLeaves.end())
    hex = last_part();
  else
    leaf = "elf";
  const auto id = BuildId::parse(hex);
  if (!id || id->hex() != hex || id->size < 2) return std::nullopt;
  return BuildIdCache::Entry{*id, name.starts_with('[') ? std::string(name) : "/" + std::string(name),
                             std::string(leaf)};
}

// "perf.data", or a file of a directory recording: "perf.data/data", "perf.data/kcore_dir/kcore".
bool is_recording(std::string_view name) {
  if (name == kRecording) return true;
  if (!name.starts_with(kRecording) || name[kRecording.size()] != '/' || name.size() > kMostName) return false;
  if (static_cast<std::size_t>(std::ranges::count(name, '/')) >= kMostDepth) return false;
  for (std::string_view rest = name.substr(kRecording.size() + 1); !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part.empty() || part == "." || part == ".." || part.size() > NAME_MAX) return false;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return !name.ends_with('/');
}

// Checks the free space repeatedly, since other programs write too.
Result<> write_member(TarReader& tar, u64 size, const std::string& path, const UnpackBudget& budget) {
  constexpr u64 kBetweenLooks = u64{16} << 20;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  auto out = open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  if (!out) return std::unexpected(std::move(out.error()));
  for (u64 written = 0, looked = 0;;) {
    auto piece = tar.read();
    if (!piece) return std::unexpected(std::move(piece.error()));
    if (piece->empty()) return {};
    const auto put = write_all(out->get(), piece->data(), piece->size());
    if (!put) return fail_errno(fmt::format("cannot write '{}'", path), put.error().system_errno);
    written += piece->size();
    if (written - looked < kBetweenLooks) continue;
    PEREGRINE_TRY(budget.check_space(size - std::min(size, written)));
    looked = written;
  }
}

}  // namespace

Result<Bundle> Bundle::open(Fd archive, const std::string& name, const std::string& temporary,
                            const UnpackLimits& limits) {
  struct stat status{};
  if (::fstat(archive.get(), &status) != 0) return fail_errno(name);
  Bundle bundle;
  auto folder = PrivateFolder::make(temporary);
  if (!folder) return std::unexpected(std::move(folder.error()));
  bundle.folder_ = std::move(*folder);
  UnpackBudget budget(name, static_cast<u64>(status.st_size), bundle.folder(), limits);
  PEREGRINE_TRY(bundle.take(std::move(archive), name, false, budget));
  bundle.bytes_ = budget.bytes_used();
  std::erase_if(bundle.files_, [&](const BuildIdCache::Entry& file) { return !bundle.is_good(file); });
  return bundle;
}

// Returns the path for a member, or "" to skip it. For an inner archive it also sets `inner`.
std::string Bundle::target_of(const TarMember& member, bool inside, std::string& inner) {
  if (!member.regular) return {};
  std::string_view name = member.name;
  while (name.starts_with("./")) name.remove_prefix(2);
  if (!inside && name.starts_with(kInner)) return inner = folder() + "/inner.tar";
  ++refusals_.members;
  if (is_recording(name)) {
    recording_ = folder() + "/" + std::string(kRecording);
    return folder() + "/" + std::string(name);
  }
  const auto file = entry_of(name);
  if (!file) {
    refuse(fmt::format("'{}' is neither perf.data nor a build-id file", member.name));
    return {};
  }
  files_.push_back(*file);
  return path_of(*file);
}

// From a damaged archive, keeps everything before the damage; an archive over budget yields nothing.
Result<> Bundle::take(Fd archive, const std::string& name, bool inside, UnpackBudget& budget) {
  auto tar = TarReader::from_fd(std::move(archive), name);
  if (!tar) return std::unexpected(std::move(tar.error()));
  tar->set_limit(budget.bytes_left());
  std::string inner;
  TarMember member;
  for (u64 counted = 0;;) {
    auto more = tar->next(member);
    PEREGRINE_TRY(budget.add_bytes(tar->unpacked() - std::exchange(counted, tar->unpacked())));
    if (!more && files_.empty() && recording_.empty()) return std::unexpected(std::move(more.error()));
    if (!more) {
      problems_.push_back(more.error().message);
      cut_ = true;
    }
    if (!more || !*more) break;
    PEREGRINE_TRY(budget.add_member());
    const std::string target = target_of(member, inside, inner);
    if (target.empty()) continue;
    PEREGRINE_TRY(budget.add_file());
    PEREGRINE_TRY(budget.check_space(member.size));
    folder_.will_make(target);
    auto written = write_member(*tar, member.size, target, budget);
    PEREGRINE_TRY(budget.add_bytes(tar->unpacked() - std::exchange(counted, tar->unpacked())));
    if (written) continue;
    if (written.error().kind != ErrorKind::Malformed) return written;
    problems_.push_back(written.error().message);
    cut_ = true;
    recording_cut_ = !recording_.empty() && target.starts_with(recording_);
    break;
  }
  if (inner.empty()) return {};
  auto opened = open_file(inner, O_RDONLY | O_NOFOLLOW);
  ::unlink(inner.c_str());
  if (!opened) return std::unexpected(std::move(opened.error()));
  return take(std::move(*opened), name, true, budget);
}

std::string Bundle::path_of(const BuildIdCache::Entry& file) const {
  return build_id_cache_path(folder(), file.id, file.leaf);
}

void Bundle::refuse(const std::string& file_and_reason) {
  if (refusals_.refused++ == 0) refusals_.first = file_and_reason;
}

// A file with a different build-id would give wrong symbol names.
bool Bundle::is_good(const BuildIdCache::Entry& kept) {
  if (kept.leaf == "kallsyms") return true;
  const auto file = open_stored_elf(path_of(kept));
  if (file && file->build_id().matches(kept.id)) return true;
  problems_.push_back(fmt::format("{} {} ({}): {}", kept.id.hex(), kept.name, kept.leaf,
                                  file ? "has a different build-id" : "is damaged"));
  refuse(problems_.back());
  ::unlink(path_of(kept).c_str());
  return false;
}

bool Bundle::has(const BuildId& id) const {
  return std::ranges::any_of(kLeaves, [&](std::string_view leaf) {
    return leaf != "debug" && ::access(build_id_cache_path(folder(), id, leaf).c_str(), F_OK) == 0;
  });
}

Result<std::size_t> add_to_cache(const Bundle& bundle, const BuildIdCache& cache) {
  std::size_t added = 0;
  for (const BuildIdCache::Entry& file : bundle.files()) {
    if (file.leaf == "debug" || !cache.find(file.id).empty()) continue;
    Result<> done;
    if (file.leaf == "elf") {
      const std::string debug = build_id_cache_path(bundle.folder(), file.id, "debug");
      done = cache.add_file(file.id, file.name, bundle.path_of(file), ::access(debug.c_str(), R_OK) == 0 ? debug : "");
    } else {
      auto image = read_regular_file(bundle.path_of(file));
      if (!image) return std::unexpected(std::move(image.error()));
      done = cache.add_image(file.id, file.name, file.leaf, std::as_bytes(std::span(*image)));
    }
    if (!done) return std::unexpected(std::move(done.error()));
    ++added;
  }
  return added;
}

std::string archive_beside(const std::string& recording) {
  for (const std::string_view end : {".tar.bz2", ".tar.zst", ".tar.gz", ".tar.xz", ".tar"}) {
    std::string path = recording + std::string(end);
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

}  // namespace peregrine
