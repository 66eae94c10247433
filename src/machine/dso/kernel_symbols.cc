#include "machine/dso/kernel_symbols.h"

#include <fcntl.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/build_id.h"
#include "base/fd.h"
#include "base/file/make_folders.h"
#include "base/file/read_failures.h"
#include "base/judged_file.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/elf/build_id.h"
#include "symbol/elf/elf_file.h"
#include "symbol/kernel/kallsyms_cache.h"
#include "symbol/lookup/build_id_cache.h"
#include "symbol/lookup/debug_file.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

void KernelSymbols::set_reference(std::string_view symbol, u64 address) {
  reference_name_ = symbol;
  reference_ = address;
}

const SymbolTable& KernelSymbols::kernel(const BuildId& kernel) {
  std::call_once(once_, [&] { load(kernel); });
  return from_image_ ? image_ : kallsyms_.kernel;
}

const SymbolTable* KernelSymbols::module(const BuildId& kernel, std::string_view bracketed_name) {
  std::call_once(once_, [&] { load(kernel); });
  const ModuleSymbols* found = kallsyms_.find_module(bracketed_name);
  return found == nullptr ? nullptr : &found->table;
}

void KernelSymbols::set_bias(u64 address_in_table) {
  if (reference_ != 0 && address_in_table != 0) bias_ = address_in_table - reference_;
}

u64 KernelSymbols::image_bias(const ElfFile& image) const {
  if (reference_ == 0 || !image.has_symtab()) return 0;  // a kcore shows the kernel at its running addresses
  const auto table = load_elf_symbols(image, ElfAddresses::Virtual);
  const auto found = table ? table->find_name(reference_name_) : decltype(table->find_name(reference_name_)){};
  return found.empty() ? 0 : found.front().start - reference_;
}

// Returns why a file was unusable, and keeps machine failures for the command to report.
MissReason KernelSymbols::note(const std::string& path, const Error& error) const {
  note_failure(places_.search.failures, path, error);
  return is_machine_failure(error) ? MissReason::Unreadable : MissReason::Absent;
}

bool KernelSymbols::load_image(const std::string& path) {
  SymbolSource source{SourceKind::Vmlinux, path};
  auto file = ElfFile::open(path, places_.search.failures);
  if (file) {
    if (auto table = load_elf_symbols(*file, ElfAddresses::Virtual); table && !table->empty()) {
      image_ = std::move(*table);
      from_image_ = true;
      const auto references = image_.find_name(reference_name_);
      if (!references.empty()) set_bias(references.front().start);
      source.gave = SymbolSet::All;
      tried_.push_back(source);
      return true;
    }
    source.miss = file->read_failed() ? MissReason::Unreadable : MissReason::NoSymbols;
  } else {
    source.miss = note(path, file.error());
  }
  tried_.push_back(source);
  return false;
}

bool KernelSymbols::load_list(const std::string& path) { return take_list(path, load_kallsyms(path)); }

// Also records the list as a source that was tried.
bool KernelSymbols::take_list(const std::string& path, Result<Kallsyms> list) {
  SymbolSource source{SourceKind::Kallsyms, path};
  if (list && !list->kernel.empty()) {
    kallsyms_ = std::move(*list);
    set_bias(reference_name_ == "_stext" ? kallsyms_.stext : kallsyms_.text);
  } else {
    source.miss = !list ? note(path, list.error()) : list->hidden ? MissReason::HiddenAddresses : MissReason::NoSymbols;
  }
  if (source.miss == MissReason::None) source.gave = SymbolSet::All;
  tried_.push_back(source);
  return source.miss == MissReason::None;
}

// Returns the running kernel's list, from our cache if the cached list is from this boot and has the same modules.
Result<Kallsyms> KernelSymbols::read_live(const BuildId& running) const {
  if (places_.own_cache_folder.empty()) return load_kallsyms(places_.live_kallsyms);
  const auto reference = read_kernel_reference(places_.live_kallsyms);
  if (!reference || reference->hidden || reference->address() == 0) return load_kallsyms(places_.live_kallsyms);
  const auto modules = read_file(places_.live_modules);
  const KallsymsKey key{running, reference->address(), hash_modules(modules ? *modules : std::string())};
  const std::string path = places_.own_cache_folder + "/" + (running ? running.hex() : "kernel") + ".kallsyms";
  if (auto cached = KallsymsCache::load(path, key)) return cached;
  auto list = load_kallsyms(places_.live_kallsyms);
  // Failing to write the cache only costs time.
  const bool made = make_folders(places_.own_cache_folder, 0700).has_value();
  if (!made || !list || list->kernel.empty() || !KallsymsCache::save(path, key, *list)) return list;
  auto saved = KallsymsCache::load(path, key);  // keeps the names in the file instead of in memory
  return saved ? std::move(saved) : std::move(list);
}

bool KernelSymbols::load_live(const BuildId& kernel) {
  const auto running = read_build_id_notes(places_.live_notes);
  SymbolSource source{SourceKind::Kallsyms, places_.live_kallsyms};
  if (kernel && !(running && kernel.matches(*running))) {
    source.miss = MissReason::BuildIdMismatch;
    if (!running && note(places_.live_notes, running.error()) == MissReason::Unreadable)
      source.miss = MissReason::Unreadable;
    tried_.push_back(source);
    return false;
  }
  return take_list(places_.live_kallsyms, read_live(running ? *running : BuildId()));
}

void KernelSymbols::load(const BuildId& kernel) {
  if (!places_.kallsyms.empty()) {
    load_list(places_.kallsyms);
    return;
  }
  if (const RecordedKernel& recorded = places_.recorded_kernel; recorded.kallsyms >= 0) {
    const std::string path = recorded.folder + "kallsyms";
    take_list(path, load_kallsyms(recorded.kallsyms, path));
    return;
  }
  if (!places_.vmlinux.empty() && load_image(places_.vmlinux)) return;
  KernelImage image = find_vmlinux(places_.kernel_release, kernel, places_.search);
  if (image.file) image.tried.pop_back();  // load_image() reports on the chosen one
  tried_.insert(tried_.end(), image.tried.begin(), image.tried.end());
  if (image.file && load_image(image.file->name())) return;
  if (!places_.search.symfs.empty()) return;
  if (load_live(kernel)) return;
  for (const std::string& folder : {places_.search.bundle_folder, places_.search.cache_folder}) {
    if (kernel && !folder.empty() && load_list(build_id_cache_path(folder, kernel, "kallsyms"))) return;
  }
  for (const std::string& copy :
       BuildIdCache(places_.search.cache_folder).kernel_copies(kernel, places_.search.failures)) {
    if (load_list(copy + "/kallsyms")) return;
  }
}

Result<ElfFile> KernelSymbols::open_core(const BuildId& kernel) const {
  if (const RecordedKernel& recorded = places_.recorded_kernel; recorded.kcore >= 0) {
    Fd copy(::fcntl(recorded.kcore, F_DUPFD_CLOEXEC, 3));
    if (!copy) return fail_errno(recorded.folder + "kcore");
    auto core = ElfFile::from_fd(std::move(copy), recorded.folder + "kcore", places_.search.failures);
    if (core) return core;
  }
  if (!places_.kallsyms.empty()) {
    // The user named kallsyms, not the kcore next to it, so the kcore must belong to us or root.
    const auto owner = places_.check_perf_map_owner ? TrustedOwner::SelfOrRoot : TrustedOwner::Anyone;
    const std::string beside = std::filesystem::path(places_.kallsyms).parent_path() / "kcore";
    auto file = open_judged(beside, {.owners = owners_of(owner)});
    if (!file)
      note(beside, file.error());
    else if (auto core = ElfFile::from_fd(std::move(file->fd), beside, places_.search.failures))
      return core;
  }
  std::vector<std::string> places;
  const auto running = read_build_id_notes(places_.live_notes);
  if (places_.search.symfs.empty() && running && (!kernel || kernel.matches(*running)))
    places.push_back(places_.live_core);
  for (const std::string& copy :
       BuildIdCache(places_.search.cache_folder).kernel_copies(kernel, places_.search.failures))
    places.push_back(copy + "/kcore");
  for (const std::string& place : places) {
    if (auto core = ElfFile::open(place, places_.search.failures)) return core;
  }
  return fail(ErrorKind::NotFound, "the kernel: found neither a vmlinux of the recorded build nor a kcore");
}

}  // namespace peregrine
