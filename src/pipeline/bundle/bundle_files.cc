#include "pipeline/bundle/bundle_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/file/folder_entries.h"
#include "base/result.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "machine/dso/own_vdso.h"
#include "pipeline/build_id/hit_dsos.h"
#include "symbol/elf/build_id.h"
#include "symbol/elf/elf_file.h"
#include "symbol/kernel/kallsyms.h"

namespace peregrine {
namespace {

// "/usr/bin/true" → "usr/bin/true/<id>". A name with "..", which could escape from the target folder, becomes
// "unnamed".
std::string folder_of(const data::BuildIdEntry& entry) {
  std::string name = entry.name;
  name.erase(0, name.find_first_not_of('/'));
  for (const auto& part : std::filesystem::path(name))
    if (part == "..") name = "unnamed";
  return name + "/" + entry.id.hex();
}

std::vector<data::BuildIdEntry> wanted_ids(const HitSummary& summary, const data::Header& header) {
  std::vector<data::BuildIdEntry> wanted;
  const auto& table = header.features.build_ids;
  for (const HitDso& dso : summary.dsos) {
    if (!dso.hit && !is_vdso_name(dso.name)) continue;
    data::BuildIdEntry entry;
    entry.id = dso.id;
    entry.name = dso.name;
    if (table) {
      const auto found = std::ranges::find(*table, dso.name, &data::BuildIdEntry::name);
      if (found != table->end()) entry.id = found->id;
    }
    if (entry.id) wanted.push_back(std::move(entry));
  }
  return wanted;
}

bool readable(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

class Gathering {
 public:
  Gathering(const BuildIdCache& cache, const DebugSearch& search, Gather gather)
      : cache_(cache), search_(search), gather_(gather) {}

  BundleContents contents;

  void add(const data::BuildIdEntry& entry) {
    bool found = take_kept(entry);
    if (!found && gather_ == Gather::Everywhere) found = take(entry, DsoPart::Code, "elf") || take_live(entry);
    if (found && gather_ == Gather::Everywhere && !has_debug(entry.id)) take(entry, DsoPart::DebugInfo, "debug");
    if (!found) contents.missing.push_back(entry);
  }

 private:
  bool take_kept(const data::BuildIdEntry& entry) {
    const std::string_view leaf = cache_.find(entry.id);
    if (leaf.empty()) return false;
    put(entry, leaf, build_id_cache_path(cache_.folder(), entry.id, leaf));
    const std::string debug = build_id_cache_path(cache_.folder(), entry.id, "debug");
    if (readable(debug)) put(entry, "debug", debug);
    return true;
  }
  bool take(const data::BuildIdEntry& entry, DsoPart part, std::string_view leaf) {
    if (!entry.name.starts_with('/')) return false;
    const auto file = find_dso_file(entry.name, entry.id, search_, part);
    if (!file || !readable(file->name())) return false;
    const bool same =
        std::ranges::any_of(contents.files, [&](const BundledFile& known) { return known.source == file->name(); });
    if (!same) put(entry, leaf, file->name());
    return true;
  }
  // Takes the running kernel's symbols, or our own vdso, if they match the recorded build-id.
  bool take_live(const data::BuildIdEntry& entry) {
    std::vector<std::byte> image;
    std::string_view leaf = "vdso";
    if (is_vdso_name(entry.name)) {
      if (auto own = vdso_image(entry.name)) image = std::move(*own);
      const auto file = ElfFile::from_bytes(image, entry.name);
      if (!file || !file->build_id().matches(entry.id)) return false;
    } else if (entry.name == "[kernel.kallsyms]") {
      leaf = "kallsyms";
      const auto running = read_build_id_notes("/sys/kernel/notes");
      const auto reference = read_kernel_reference("/proc/kallsyms");
      if (!running || !running->matches(entry.id) || !reference || reference->hidden) return false;
      auto text = read_file("/proc/kallsyms");
      if (!text) return false;
      const Bytes bytes = std::as_bytes(std::span(*text));
      image.assign(bytes.begin(), bytes.end());
    } else {
      return false;
    }
    put(entry, leaf, {});
    contents.files.back().image = std::move(image);
    return true;
  }
  void put(const data::BuildIdEntry& entry, std::string_view leaf, const std::string& source) {
    contents.files.push_back({folder_of(entry), std::string(leaf), source, entry.id});
  }
  bool has_debug(const BuildId& id) const {
    return std::ranges::any_of(contents.files,
                               [&](const BundledFile& file) { return file.id == id && file.leaf == "debug"; });
  }

  const BuildIdCache& cache_;
  const DebugSearch& search_;
  Gather gather_;
};

// Adds the regular files in a folder and below it. Does not follow links to folders.
Result<> add_folder(TarWriter& tar, const std::string& path, const std::string& name) {
  FolderEntries entries(path);
  std::vector<std::string> names;
  while (const auto entry = entries.next()) names.emplace_back(entry->name);
  if (entries.error() != 0) return fail_errno(path, entries.error());
  for (const std::string& each : names) {
    const std::string inner = path + '/' + each;
    struct stat status{};
    if (::lstat(inner.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
      PEREGRINE_TRY(add_folder(tar, inner, name + '/' + each));
    else if (is_regular_file(inner))
      PEREGRINE_TRY(tar.add_file(name + '/' + each, inner));
  }
  return {};
}

}  // namespace

Result<BundleContents> gather_bundle(data::Reader& reader, const BuildIdCache& cache, const DebugSearch& search,
                                     Gather gather) {
  auto summary = find_hit_dsos(reader);
  if (!summary) return std::unexpected(std::move(summary.error()));
  Gathering gathering(cache, search, gather);
  for (const data::BuildIdEntry& entry : wanted_ids(*summary, reader.header())) gathering.add(entry);
  return std::move(gathering.contents);
}

Result<> add_bundle(TarWriter& tar, const BundleContents& contents) {
  BuildId last;
  for (const BundledFile& file : contents.files) {
    if (file.id != last) {
      const std::string hex = file.id.hex();
      PEREGRINE_TRY(tar.add_link(fmt::format(".build-id/{}/{}", hex.substr(0, 2), hex.substr(2)),
                                 fmt::format("../../{}", file.folder)));
    }
    last = file.id;
    const std::string name = fmt::format("{}/{}", file.folder, file.leaf);
    PEREGRINE_TRY(file.source.empty() ? tar.add_bytes(name, file.image) : tar.add_file(name, file.source));
  }
  return {};
}

Result<> add_recording(TarWriter& tar, const std::string& path) {
  struct stat status{};
  const bool is_folder = ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  return is_folder ? add_folder(tar, path, "perf.data") : tar.add_file("perf.data", path);
}

}  // namespace peregrine
