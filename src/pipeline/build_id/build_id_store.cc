#include "pipeline/build_id/build_id_store.h"

#include <span>

#include "machine/own_vdso.h"
#include "symbol/build_id.h"
#include "symbol/build_id_cache.h"
#include "symbol/elf_file.h"
#include "sys/host.h"

namespace peregrine {
namespace {

constexpr std::string_view kKernel = "[kernel.kallsyms]", kVdso = "[vdso]";

BuildId vdso_build_id() {
  auto image = own_vdso();
  if (!image) return {};
  auto file = ElfFile::from_bytes(std::move(*image), std::string(kVdso));
  return file ? file->build_id() : BuildId();
}

BuildId id_of(const Root& root, const HitDso& dso) {
  if (dso.id) return dso.id;
  if (dso.name == kKernel) return BuildId::from_bytes(kernel_build_id(root));
  if (dso.name == kVdso) return vdso_build_id();
  if (dso.name.starts_with('['))
    return BuildId::from_bytes(module_build_id(root, dso.name.substr(1, dso.name.size() - 2)));
  auto id = read_build_id(root.path(dso.name));
  return id ? *id : BuildId();
}

bool add_entry(const Root& root, const BuildIdCache& cache, const data::BuildIdEntry& entry) {
  if (!cache.find(entry.id).empty()) return true;
  if (entry.name == kKernel) {
    const auto text = root.read("/proc/kallsyms");
    return text && cache.add_image(entry.id, entry.name, "kallsyms", std::as_bytes(std::span(*text)));
  }
  if (entry.name == kVdso) {
    const auto image = own_vdso();
    return image && cache.add_image(entry.id, entry.name, "vdso", *image);
  }
  if (entry.name.starts_with('[')) return true;  // a module whose file is not known
  return cache.add_file(entry.id, entry.name, root.path(entry.name)).has_value();
}

}  // namespace

std::vector<data::BuildIdEntry> read_build_ids(const Root& root, const std::vector<HitDso>& dsos) {
  std::vector<data::BuildIdEntry> entries;
  for (const HitDso& dso : dsos) {
    data::BuildIdEntry entry;
    entry.id = id_of(root, dso);
    if (entry.id.empty()) continue;
    entry.misc = dso.kernel ? abi::misc_bit::Kernel : abi::misc_bit::User;
    entry.name = dso.name;
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::size_t add_to_build_id_cache(const Root& root, const std::string& cache,
                                  const std::vector<data::BuildIdEntry>& ids) {
  if (cache.empty()) return 0;
  std::size_t failed = 0;
  const BuildIdCache kept(cache);
  for (const auto& entry : ids) failed += add_entry(root, kept, entry) ? 0 : 1;
  return failed;
}

}  // namespace peregrine
