#include "pipeline/build_id/build_id_store.h"

#include <unistd.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "abi/record.h"
#include "base/build_id.h"
#include "machine/dso/live_file.h"
#include "machine/dso/own_vdso.h"
#include "symbol/elf/elf_file.h"
#include "symbol/lookup/build_id_cache.h"
#include "sys/kernel/host.h"

namespace peregrine {
namespace {

constexpr std::string_view kKallsymsName = "[kernel.kallsyms]";

BuildId vdso_build_id(const std::string& name) {
  auto image = vdso_image(name);
  if (!image) return {};
  auto file = ElfFile::from_bytes(std::move(*image), name);
  return file ? file->build_id() : BuildId();
}

BuildId id_of(const Root& root, const HitDso& dso, const std::string& file, ReadFailures* failures) {
  if (dso.id) return dso.id;
  if (dso.name == kKallsymsName) return BuildId::from_bytes(kernel_build_id(root));
  if (is_vdso_name(dso.name)) return vdso_build_id(dso.name);
  if (dso.name.starts_with('['))
    return BuildId::from_bytes(module_build_id(root, dso.name.substr(1, dso.name.size() - 2)));
  if (file.empty()) return {};
  const auto opened = ElfFile::open(file, failures);
  return opened ? opened->build_id() : BuildId();
}

std::string file_of(const Root& root, const HitDso& dso) {
  if (dso.name.starts_with('[')) return {};
  return place_while_recording(root, {dso.name, dso.pid, dso.major, dso.minor, dso.inode});
}

bool add_entry(const Root& root, const BuildIdCache& cache, const FoundBuildId& found, const FetchDebug& fetch) {
  const data::BuildIdEntry& entry = found.entry;
  if (!cache.find(entry.id).empty()) return true;
  if (entry.name == kKallsymsName) {
    const auto text = root.read("/proc/kallsyms");
    return text && cache.add_image(entry.id, entry.name, "kallsyms", std::as_bytes(std::span(*text)));
  }
  if (is_vdso_name(entry.name)) {
    const auto image = vdso_image(entry.name);
    return image && cache.add_image(entry.id, entry.name, "vdso", *image);
  }
  if (entry.name.starts_with('[')) return true;  // a module without a known file
  std::string debug;
  if (fetch && ::access(installed_debug_file(entry.id).c_str(), R_OK) != 0) debug = fetch(entry.id).value_or("");
  return cache.add_file(entry.id, entry.name, found.file, debug).has_value();
}

}  // namespace

std::vector<FoundBuildId> read_build_ids(const Root& root, const std::vector<HitDso>& dsos, ReadFailures* failures) {
  std::vector<FoundBuildId> all;
  for (const HitDso& dso : dsos) {
    FoundBuildId found;
    found.file = file_of(root, dso);
    found.entry.id = id_of(root, dso, found.file, failures);
    if (found.entry.id.empty()) continue;
    found.entry.misc = dso.kernel ? abi::misc_bit::Kernel : abi::misc_bit::User;
    found.entry.name = dso.name;
    all.push_back(std::move(found));
  }
  return all;
}

std::size_t add_to_build_id_cache(const Root& root, const std::string& cache, const std::vector<FoundBuildId>& ids,
                                  const FetchDebug& fetch) {
  if (cache.empty()) return 0;
  std::size_t failed = 0;
  const BuildIdCache kept(cache);
  for (const FoundBuildId& found : ids) failed += add_entry(root, kept, found, fetch) ? 0 : 1;
  return failed;
}

}  // namespace peregrine
