#include "pipeline/bundle/bundle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "pipeline/bundle/tar_reader.h"
#include "symbol/debug_file.h"
#include "symbol/stored_elf.h"

namespace peregrine {
namespace {

constexpr std::string_view kRecording = "perf.data", kInner = "perf.symbols.tar";
constexpr std::array<std::string_view, 4> kLeaves = {"elf", "debug", "kallsyms", "vdso"};
// More than any machine's binaries: an archive that unpacks to more is meant to fill the disk.
constexpr u64 kMostBytes = u64{64} << 30;

// "usr/bin/true/<40 digits>/elf" → the id, "/usr/bin/true" and "elf"; without the leaf, of old caches, → "elf".
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

// "perf.data", or what lies below it in the recording of a directory: "perf.data/data", "perf.data/kcore_dir/kcore".
bool is_recording(std::string_view name) {
  if (name == kRecording) return true;
  if (!name.starts_with(kRecording) || name[kRecording.size()] != '/') return false;
  for (std::string_view rest = name.substr(kRecording.size() + 1); !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return !name.ends_with('/');
}

Result<> write_member(TarReader& tar, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  auto out = open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  if (!out) return std::unexpected(std::move(out.error()));
  for (;;) {
    auto piece = tar.read();
    if (!piece) return std::unexpected(std::move(piece.error()));
    if (piece->empty()) return {};
    PEREGRINE_TRY(write_all(out->get(), piece->data(), piece->size()));
  }
}

}  // namespace

Result<Bundle> Bundle::open(const std::string& path, const std::string& temporary) {
  Bundle bundle;
  auto folder = PrivateFolder::make(temporary);
  if (!folder) return std::unexpected(std::move(folder.error()));
  bundle.folder_ = std::move(*folder);
  PEREGRINE_TRY(bundle.take(path, false));
  std::erase_if(bundle.files_, [&](const BuildIdCache::Entry& file) { return !bundle.is_good(file); });
  return bundle;
}

Result<> Bundle::take(const std::string& path, bool inside) {
  auto tar = TarReader::open(path);
  if (!tar) return std::unexpected(std::move(tar.error()));
  std::string inner;
  TarMember member;
  for (;;) {
    auto more = tar->next(member);
    if (!more && files_.empty() && recording_.empty()) return std::unexpected(std::move(more.error()));
    if (!more) problems_.push_back(more.error().message);  // what came before is still good
    if (!more || !*more) break;
    if (!member.regular) continue;
    while (member.name.starts_with("./")) member.name.erase(0, 2);
    std::string target;
    if (is_recording(member.name)) {
      target = folder() + "/" + member.name;
      recording_ = folder() + "/" + std::string(kRecording);
    } else if (!inside && member.name.starts_with(kInner)) {
      target = inner = folder() + "/inner.tar";
    } else if (const auto file = entry_of(member.name)) {
      target = path_of(*file);
      files_.push_back(*file);
    }
    if (target.empty()) continue;
    bytes_ += member.size;
    if (bytes_ > kMostBytes) return fail(ErrorKind::Malformed, "{}: unpacks to more than {} bytes", path, kMostBytes);
    if (auto written = write_member(*tar, target); !written) {
      problems_.push_back(written.error().message);
      break;
    }
  }
  if (inner.empty()) return {};
  auto taken = take(inner, true);
  ::unlink(inner.c_str());
  return taken;
}

std::string Bundle::path_of(const BuildIdCache::Entry& file) const {
  return build_id_cache_path(folder(), file.id, file.leaf);
}

// A file that is not of the build it is kept by would give wrong names.
bool Bundle::is_good(const BuildIdCache::Entry& kept) {
  if (kept.leaf == "kallsyms") return true;
  const auto file = open_stored_elf(path_of(kept));
  if (file && file->build_id().matches(kept.id)) return true;
  problems_.push_back(
      fmt::format("{} {} ({}): {}", kept.id.hex(), kept.name, kept.leaf, file ? "has another build-id" : "is damaged"));
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
      auto image = read_file(bundle.path_of(file));
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
