#include "pipeline/recording/build_id_store.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "base/fd.h"
#include "symbol/build_id.h"
#include "symbol/elf_file.h"
#include "sys/host.h"

namespace peregrine {
namespace {

constexpr std::string_view kKernel = "[kernel.kallsyms]", kVdso = "[vdso]";

// The vdso of this process; empty when the kernel maps none. Its size is that of its map.
std::vector<std::byte> vdso_image() {
  const unsigned long start = ::getauxval(AT_SYSINFO_EHDR);
  const auto maps = read_file("/proc/self/maps");
  if (start == 0 || !maps) return {};
  const std::string wanted = fmt::format("{:x}-", start);
  const std::size_t line = maps->find(wanted);
  if (line == std::string::npos) return {};
  const unsigned long end = std::strtoul(maps->c_str() + line + wanted.size(), nullptr, 16);
  if (end <= start) return {};
  const auto* bytes = reinterpret_cast<const std::byte*>(start);
  return std::vector<std::byte>(bytes, bytes + (end - start));
}

BuildId vdso_build_id() {
  auto image = vdso_image();
  if (image.empty()) return {};
  auto file = ElfFile::from_bytes(std::move(image), std::string(kVdso));
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

// Names in the cache come from mapped paths: nothing that could lead elsewhere.
bool safe_name(std::string_view name) {
  return !name.empty() && name.find("/../") == name.npos && !name.ends_with("/..") && !name.starts_with("../");
}

bool write_new(const std::string& path, Bytes bytes) {
  auto fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
  return fd && write_all(fd->get(), bytes.data(), bytes.size());
}

bool store_file(const std::string& source, const std::string& target) {
  if (::link(source.c_str(), target.c_str()) == 0) return true;
  std::error_code error;
  return std::filesystem::copy_file(source, target, error);
}

bool store_content(const Root& root, const data::BuildIdEntry& entry, const std::string& folder) {
  if (entry.name == kKernel) {
    const auto text = root.read("/proc/kallsyms");
    return text && write_new(folder + "/kallsyms", std::as_bytes(std::span(*text)));
  }
  if (entry.name == kVdso) return write_new(folder + "/vdso", vdso_image());
  // The file may have been replaced since it was mapped: only the one of this id is kept.
  const std::string source = root.path(entry.name);
  auto id = read_build_id(source);
  return id && id->matches(entry.id) && store_file(source, folder + "/elf");
}

bool add_entry(const Root& root, const std::string& cache, const data::BuildIdEntry& entry) {
  if (!safe_name(entry.name) || entry.id.empty()) return false;
  const std::string hex = entry.id.hex();
  const std::string link_folder = fmt::format("{}/.build-id/{}", cache, hex.substr(0, 2));
  const std::string link = link_folder + "/" + hex.substr(2);
  if (::access(link.c_str(), F_OK) == 0) return true;
  const std::string below = entry.name.starts_with('/') ? entry.name.substr(1) : entry.name;
  const std::string folder = fmt::format("{}/{}/{}", cache, below, hex);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::filesystem::create_directories(link_folder, error);
  if (error) return false;
  const char* leaf = entry.name == kKernel ? "/kallsyms" : entry.name == kVdso ? "/vdso" : "/elf";
  if (::access((folder + leaf).c_str(), F_OK) != 0 && !store_content(root, entry, folder)) {
    std::filesystem::remove(folder, error);
    return false;
  }
  return ::symlink(fmt::format("../../{}/{}", below, hex).c_str(), link.c_str()) == 0 || errno == EEXIST;
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
  for (const auto& entry : ids) failed += add_entry(root, cache, entry) ? 0 : 1;
  return failed;
}

}  // namespace peregrine
