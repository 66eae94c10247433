#include "machine/dso/dso.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/file/read_failures.h"
#include "base/guarded.h"
#include "base/judged_file.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/kernel_symbols.h"
#include "machine/dso/live_file.h"
#include "machine/dso/own_vdso.h"
#include "machine/dso/run_time_place.h"
#include "symbol/elf/elf_file.h"
#include "symbol/jit/jit_image.h"
#include "symbol/jit/jitdump.h"
#include "symbol/jit/perf_map.h"
#include "symbol/jit/run_time_file.h"
#include "symbol/kernel/module_file.h"
#include "symbol/lookup/symbol_files.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/demangle.h"
#include "symbol/table/symbol_table_builder.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

std::string_view last_part(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1);
}

}  // namespace

FileOwners SymbolPlaces::run_time_file_owners(u32 pid) const {
  if (!check_perf_map_owner) return std::nullopt;
  std::vector<uid_t> owners{::geteuid()};
  if (!search.symfs.empty()) return owners;  // the process ran on another machine
  if (const auto status = status_of(live_root, static_cast<Pid>(pid))) owners.push_back(status->euid);
  return owners;
}

DsoTable::DsoTable(SymbolPlaces places)
    : places_(std::move(places)), kernel_(std::make_unique<KernelSymbols>(places_)) {
  places_.search.failures = &failures_;
}
DsoTable::~DsoTable() = default;

DsoId DsoTable::add(Dso dso) {
  const DsoId id(static_cast<u32>(entries_.size()));
  if (dso.short_name.empty()) {
    dso.short_name = dso.kind == DsoKind::Anonymous ? fmt::format("[JIT] tid {}", dso.pid) : last_part(dso.name);
  }
  if (dso.path.empty()) dso.path = dso.name;
  Entry& entry = entries_.emplace_back();
  entry.dso = std::move(dso);
  by_name_.emplace(entry.dso.name, id);
  if (!is_of_file(id)) return id;
  if (entry.dso.identity.known())
    identify(id, entry.dso.identity);
  else
    unidentified_.emplace(entry.dso.name, id);
  return id;
}

std::size_t DsoTable::FileKeyHash::operator()(const FileKey& key) const {
  const FileIdentity& file = key.identity;
  std::size_t hash = std::hash<std::string_view>()(key.name);
  for (const u64 word : {u64{file.major} << 32 | file.minor, file.inode, file.generation})
    hash = (hash ^ word ^ word >> 32) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 32;
}

// The dso with that name and a matching identity.
std::optional<DsoId> DsoTable::find_file(std::string_view name, const FileIdentity& identity) const {
  FileIdentity wanted = identity;
  for (const u64 generation : {identity.generation, identity.generation == 0 ? kAnyGeneration : u64{0}}) {
    wanted.generation = generation;
    if (const auto found = by_file_.find({name, wanted}); found != by_file_.end()) return found->second;
  }
  return std::nullopt;
}

// Code without a file; its name may also be the name of a file.
bool DsoTable::is_of_file(DsoId id) const { return at(id).kind != DsoKind::Generated && at(id).kind != DsoKind::Guest; }

std::optional<DsoId> DsoTable::take_unidentified(std::string_view name) {
  const auto found = unidentified_.find(name);
  if (found == unidentified_.end()) return std::nullopt;
  const DsoId id = found->second;
  unidentified_.erase(found);
  return id;
}

std::optional<DsoId> DsoTable::find_named(std::string_view name) const {
  const auto [first, last] = by_name_.equal_range(name);
  for (auto found = first; found != last; ++found)
    if (is_of_file(found->second)) return found->second;
  return std::nullopt;
}

void DsoTable::identify(DsoId id, const FileIdentity& identity) {
  Dso& dso = at(id);
  if (const auto old = by_file_.find({dso.name, dso.identity}); old != by_file_.end() && old->second == id)
    by_file_.erase(old);
  dso.identity = identity;
  FileIdentity any = identity;
  any.generation = kAnyGeneration;
  by_file_.try_emplace({dso.name, identity}, id);
  by_file_.try_emplace({dso.name, any}, id);
}

DsoId DsoTable::find_or_add(DsoKind kind, std::string_view name, const FileIdentity& identity) {
  std::optional<DsoId> found = identity.known() ? find_file(name, identity) : find_named(name);
  if (!found && identity.known()) found = take_unidentified(name);
  if (found) {
    const bool is_better = identity.known() && (!at(*found).identity.known() || identity.generation != 0);
    if (is_better && at(*found).identity != identity) identify(*found, identity);
    return *found;
  }
  Dso dso;
  dso.kind = kind;
  dso.name = name;
  dso.identity = identity;
  return add(std::move(dso));
}

DsoId DsoTable::find(std::string_view name) const {
  DsoId result;
  const auto [first, last] = by_name_.equal_range(name);
  for (auto found = first; found != last; ++found) {
    if (!result || found->second < result) result = found->second;
  }
  return result;
}

void DsoTable::set_kernel_reference(std::string_view symbol, u64 address) { kernel_->set_reference(symbol, address); }

void DsoTable::set_symbols(DsoId id, SymbolTable table, SymbolSource source) {
  Entry& entry = entries_[id.value];
  std::call_once(entry.once, [&] {
    entry.own = std::move(table);
    entry.table = &entry.own;
    entry.loaded = true;
  });
  entry.tried.push_back(std::move(source));
}

const SymbolTable& DsoTable::symbols(DsoId id) const {
  const Entry& entry = entries_[id.value];
  std::call_once(entry.once, [&] {
    entry.table = &entry.own;
    if (places_.load) load_guarded(entry);
    entry.loaded = true;
  });
  return *entry.table;
}

std::size_t DsoTable::releasable_bytes() const {
  std::size_t bytes = 0;
  for (const Entry& entry : entries_)
    if (entry.is_releasable()) bytes += entry.own.memory_bytes();
  return bytes;
}

void DsoTable::release_symbols(const std::vector<bool>& used) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if ((i < used.size() && used[i]) || !entry.is_releasable()) continue;
    std::destroy_at(&entry.once);
    std::construct_at(&entry.once);
    entry.own = {};
    entry.table = nullptr;
    entry.bias = 0;
    entry.tried = {};
    entry.loaded = false;
  }
}

std::vector<ReadFailure> DsoTable::unreadable_files() const {
  for (const Entry& entry : entries_) {
    if (!entry.loaded || !entry.table->read_failed()) continue;  // names left in the file, read on demand
    for (const SymbolSource& source : entry.tried)
      if (source.gave != SymbolSet::None) failures_.note(source.path, entry.table->read_error());
  }
  return failures_.list();
}

// Whether a symbol list matches the recorded address of the module. It differs after a reboot or `inject --aslr`.
bool DsoTable::overlaps_recorded_range(const SymbolTable& table, const Dso& dso) {
  if (dso.start == 0 || dso.size == 0) return true;
  for (u32 i = 0; i < table.size(); ++i)
    if (table.start(SymbolIndex(i)) - dso.start < dso.size) return true;
  return false;
}

// A file that needs more memory than the machine has only costs its own symbols, not the whole report.
void DsoTable::load_guarded(const Entry& entry) const {
  const auto loaded = guarded([&]() -> Result<> {
    load(entry);
    return {};
  });
  if (loaded) return;
  entry.own = SymbolTable();
  entry.table = &entry.own;
  failures_.note(entry.dso.path, loaded.error());
}

void DsoTable::load(const Entry& entry) const {
  const BuildId kernel = kernel_id_ ? at(kernel_id_).build_id : BuildId();
  switch (entry.dso.kind) {
    case DsoKind::File:
      return load_file(entry);
    case DsoKind::Kernel:
      entry.table = &kernel_->kernel(kernel);
      entry.bias = kernel_->bias();
      entry.tried = kernel_->tried();
      return;
    case DsoKind::Module:
      if (const SymbolTable* table = kernel_->module(kernel, entry.dso.short_name);
          table != nullptr && overlaps_recorded_range(*table, entry.dso)) {
        entry.table = table;
        entry.tried = kernel_->tried();
        return;
      }
      return load_module(entry);
    case DsoKind::Generated:
      return load_generated(entry);
    case DsoKind::Vdso:
      return load_vdso(entry);
    case DsoKind::Anonymous:
      return load_perf_map(entry);
    case DsoKind::JitDump:  // set_symbols() has provided them
    case DsoKind::Guest:
    case DsoKind::NoSymbols:
      return;
  }
}

// Loads one large file at a time, so that the temporary memory (about 12 MB for 40,000 symbols) is needed only once.
void DsoTable::load_file(const Entry& entry) const {
  constexpr u64 kLarge = u64{16} << 20;
  SymbolFiles files = SymbolFiles::find(entry.dso.path, entry.dso.build_id, search_of(entry.dso));
  std::unique_lock gate(large_, std::defer_lock);
  if (files.largest_file() >= kLarge) gate.lock();
  entry.own = places_.search.stripped_functions ? files.load_all(entry.dso.short_name) : files.load();
  entry.tried = files.tried();
}

// The search settings, plus where a living process that mapped the dso sees it. Not with a sysroot, which belongs to
// another machine.
DebugSearch DsoTable::search_of(const Dso& dso) const {
  DebugSearch search = places_.search;
  if (!search.symfs.empty() || dso.pid == 0) return search;
  search.live = [this, &dso] {
    const MappedFile file{dso.path, dso.pid, dso.identity.major, dso.identity.minor, dso.identity.inode};
    return live_places(places_.live_root, file, static_cast<bool>(dso.build_id));
  };
  return search;
}

// Used if the running kernel does not have the module: it is from another boot, or was unloaded.
void DsoTable::load_module(const Entry& entry) const {
  ModuleFile found =
      find_module(entry.dso.short_name, entry.dso.path, places_.kernel_release, entry.dso.build_id, places_.search);
  entry.tried = kernel_->tried();
  entry.tried.insert(entry.tried.end(), found.tried.begin(), found.tried.end());
  if (!found.file || entry.dso.start == 0) return;
  auto table = load_elf_symbols(*found.file, *found.file, ElfAddresses::Module);
  if (!table) return;
  entry.own = std::move(*table);
  entry.bias = u64{0} - entry.dso.start;
}

Result<ElfFile> DsoTable::open_module(const Dso& dso, DsoPart part) const {
  ModuleFile found = find_module(dso.short_name, dso.path, places_.kernel_release, dso.build_id, places_.search, part);
  if (found.file) return std::move(*found.file);
  if (auto fetched = from_server(dso, part)) {
    fetched->place_as_module();
    return std::move(*fetched);
  }
  if (part == DsoPart::DebugInfo) return fail(ErrorKind::NotFound, "{}: no debug information for its .ko", dso.name);
  return fail(ErrorKind::NotFound, "{}: no .ko of the recorded build", dso.name);
}

// A vmlinux from a debuginfod server comes last, since it takes hundreds of megabytes.
Result<ElfFile> DsoTable::open_kernel(const Dso& dso, DsoPart part) const {
  if (!places_.vmlinux.empty()) return ElfFile::open(places_.vmlinux, &failures_);
  KernelImage image = find_vmlinux(places_.kernel_release, dso.build_id, places_.search);
  if (image.file) return std::move(*image.file);
  if (part == DsoPart::Code) {
    if (auto core = kernel_->open_core(dso.build_id)) return core;
  }
  if (auto fetched = from_server(dso, part)) return std::move(*fetched);
  return fail(ErrorKind::NotFound, "{}: no vmlinux of the recorded build", dso.name);
}

// Fetches files of the kernel and its modules, if the user enabled servers.
std::optional<ElfFile> DsoTable::from_server(const Dso& dso, DsoPart part) const {
  if (!places_.search.fetch || !dso.build_id) return std::nullopt;
  const auto path =
      places_.search.fetch(dso.build_id, part == DsoPart::Code ? ServerFile::Executable : ServerFile::DebugInfo);
  if (!path) return std::nullopt;
  OpenedFile opened = open_candidate(*path, &failures_);
  if (!opened.file || verify_build(*opened.file, dso.build_id, {}) != MissReason::None) return std::nullopt;
  return std::move(opened.file);
}

void DsoTable::load_generated(const Entry& entry) const {
  SymbolTableBuilder builder(NameStyle::Plain);
  builder.add(NewSymbol{entry.dso.start, entry.dso.start + entry.dso.size, entry.dso.name, SymbolBinding::Global,
                        SymbolType::Function});
  entry.own = builder.build();
}

void DsoTable::load_vdso(const Entry& entry) const {
  const auto file = open_vdso(entry.dso);
  entry.tried.push_back({SourceKind::Dso, file ? file->name() : entry.dso.name,
                         file ? MissReason::None : MissReason::BuildIdMismatch,
                         file ? SymbolSet::All : SymbolSet::None});
  if (!file) return;
  if (auto table = load_elf_symbols(*file)) entry.own = std::move(*table);
}

// Uses the running kernel's vDSO if the build is the same and the recording is from this machine. A kept copy takes
// precedence if reading the running vDSO requires starting a program.
Result<ElfFile> DsoTable::open_vdso(const Dso& dso) const {
  const auto not_found = [&dso] { return fail(ErrorKind::NotFound, "{}: no copy of the recorded build", dso.name); };
  if (!places_.search.symfs.empty()) return not_found();
  const bool by_program = dso.name == kVdso32Name;
  if (by_program)
    if (auto kept = open_kept_vdso(dso)) return std::move(*kept);
  auto image = vdso_image(dso.name);
  if (image) {
    auto file = ElfFile::from_bytes(std::move(*image), dso.name);
    if (file && (!dso.build_id || dso.build_id.matches(file->build_id()))) return file;
  } else if (!by_program) {
    failures_.note("/proc/self/maps", image.error());
  }
  if (auto kept = by_program ? std::nullopt : open_kept_vdso(dso)) return std::move(*kept);
  return not_found();
}

std::optional<ElfFile> DsoTable::open_kept_vdso(const Dso& dso) const {
  for (const std::string& folder : {places_.search.bundle_folder, places_.search.cache_folder}) {
    if (folder.empty() || !dso.build_id) continue;
    auto cached = ElfFile::open(build_id_cache_path(folder, dso.build_id, "vdso"), &failures_);
    if (cached && dso.build_id.matches(cached->build_id())) return std::move(*cached);
  }
  return std::nullopt;
}

void DsoTable::load_perf_map(const Entry& entry) const {
  for (std::string& path : perf_map_places(places_, entry.dso.pid)) {
    SymbolSource& source = entry.tried.emplace_back(SymbolSource{SourceKind::PerfMap, std::move(path)});
    auto map = peregrine::load_perf_map(source.path, places_.run_time_file_owners(entry.dso.pid));
    if (map) {
      entry.own = std::move(map->table);
      return;
    }
    source.miss = miss_of_run_time_file(map.error());
    failures_.note(source.path, map.error());
  }
}

Result<ElfFile> DsoTable::open_jitdump(const Dso& dso, const std::vector<SymbolSource>& tried) const {
  const auto dump = JitDump::open(tried.back().path, places_.run_time_file_owners(dso.pid));
  if (!dump) return std::unexpected(dump.error());
  auto image = jit_dump_image(*dump);
  if (!image) return std::unexpected(std::move(image.error()));
  return ElfFile::from_bytes(std::move(*image), dso.name);
}

Result<ElfFile> DsoTable::open_part(DsoId id, DsoPart part) const {
  const Dso& dso = at(id);
  switch (dso.kind) {
    case DsoKind::File:
      return find_dso_file(dso.path, dso.build_id, search_of(dso), part);
    case DsoKind::Module:
      return open_module(dso, part);
    case DsoKind::Vdso:
      return open_vdso(dso);
    case DsoKind::Kernel:
      return open_kernel(dso, part);
    case DsoKind::JitDump:
      return open_jitdump(at(id), entries_[id.value].tried);
    case DsoKind::Generated:
    case DsoKind::Anonymous:
    case DsoKind::Guest:
    case DsoKind::NoSymbols:
      break;
  }
  return fail(ErrorKind::Unsupported, "{}: it has no backing file", dso.name);
}

u64 DsoTable::image_bias(DsoId id, const ElfFile& image) const {
  const Dso& dso = at(id);
  if (dso.kind == DsoKind::Module) return image.type() == ET_REL ? u64{0} - dso.start : 0;
  return dso.kind == DsoKind::Kernel ? kernel_->image_bias(image) : 0;
}

std::string DsoTable::symbol_name(DsoId id, SymbolIndex symbol) const {
  if (!has_symbol(id, symbol)) return {};
  const std::string raw = symbols(id).name(symbol);
  const bool wanted = at(id).is_kernel() ? places_.demangle_kernel : places_.demangle;
  return wanted && may_be_mangled(raw) ? demangle(raw, places_.demangle_detail) : raw;
}

}  // namespace peregrine
