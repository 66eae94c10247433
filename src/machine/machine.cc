#include "machine/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "abi/record.h"
#include "base/build_id.h"
#include "base/types.h"
#include "machine/dso/own_vdso.h"
#include "machine/dso/run_time_place.h"
#include "symbol/jit/jitdump.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

// Names that the kernel or tools give to memory without a backing file.
bool is_anonymous(std::string_view name) {
  return name == "//anon" || name.starts_with("/dev/zero") || name.starts_with("/anon_hugepage");
}
bool is_without_dso(std::string_view name) {
  return name.starts_with("[stack") || name.starts_with("/SYSV") || name == "[heap]";
}

FileIdentity identity_of(const abi::MmapRecord& record) {
  if (!record.version2 || record.has_build_id) return {};
  return {record.major, record.minor, record.inode, record.inode_generation};
}

// Returns "[xfs]" for "/lib/modules/6.1/kernel/fs/xfs/xfs.ko.xz" and for "[xfs]".
std::string module_name(std::string_view path) {
  if (path.starts_with('[')) return std::string(path);
  path.remove_prefix(std::min(path.rfind('/') + 1, path.size()));
  if (const auto dot = path.find(".ko"); dot != std::string_view::npos) path = path.substr(0, dot);
  std::string result = fmt::format("[{}]", path);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

// In a recording made inside a PID namespace, every process outside it has pid 0, the same as the idle tasks. Idle
// tasks never fork, map files or change their names, so such a record belongs to an outside process.
bool is_of_outside_process(const abi::SideBand& record) {
  if (const auto* map = std::get_if<abi::MmapRecord>(&record.body))
    return map->pid == 0 && (record.misc & abi::misc_bit::CpumodeMask) == abi::misc_bit::User;
  if (const auto* comm = std::get_if<abi::CommRecord>(&record.body))
    return comm->pid == 0 && comm->tid == 0 && !comm->comm.starts_with("swapper");
  const auto* fork = std::get_if<abi::ForkRecord>(&record.body);
  return fork != nullptr && fork->pid == 0 && fork->tid == 0;
}

// Records merged by `inject --guest-data`: their pids, names and symbols belong to the guest.
bool is_of_guest(const abi::SideBand& record) {
  const u16 cpumode = record.misc & abi::misc_bit::CpumodeMask;
  return cpumode == abi::misc_bit::GuestKernel || cpumode == abi::misc_bit::GuestUser;
}

bool is_module_path(std::string_view path) {
  return path.ends_with(".ko") || path.ends_with(".ko.gz") || path.ends_with(".ko.xz") || path.ends_with(".ko.zst");
}

}  // namespace

Machine::Machine(SymbolPlaces places) : dsos_(std::move(places)), guests_(dsos_.places().guests, dsos_) {
  kernel_space_ = spaces_.create(0);
  threads_.fork(0, 0, CommId{}, spaces_.create(0), 0);
  threads_.set_comm(0, 0, "swapper", 0);
}

void Machine::apply(const abi::SideBand& record, Moment moment) {
  applied_until_ = moment + 1;
  if (is_of_guest(record) && !std::holds_alternative<abi::MmapRecord>(record.body)) return;
  if (is_of_outside_process(record)) {
    ++counts_.outside_records;
    return;
  }
  std::visit(
      [&](const auto& body) {
        using Body = std::decay_t<decltype(body)>;
        if constexpr (std::is_same_v<Body, abi::MmapRecord>) apply_mmap(body, record.misc, moment);
        if constexpr (std::is_same_v<Body, abi::CommRecord>) apply_comm(body, moment);
        if constexpr (std::is_same_v<Body, abi::ForkRecord>) apply_fork(body, record.misc, moment);
        if constexpr (std::is_same_v<Body, abi::KsymbolRecord>) apply_ksymbol(body, moment);
        if constexpr (std::is_same_v<Body, abi::ExitRecord>) apply_exit(body, moment);
        if constexpr (std::is_same_v<Body, abi::NamespacesRecord>) ++counts_.namespaces;
      },
      record.body);
}

// Returns the thread's address space at `moment`. Creates the thread, process and space if they are new.
SpaceId Machine::space_of(u32 pid, u32 tid, Moment moment) {
  const ThreadState state = threads_.newest(pid, tid);
  if (state.thread && state.space) return state.space;
  SpaceId space;
  if (pid != tid && pid != ~0u) {
    space = space_of(pid, pid, moment);
  } else {
    space = spaces_.create(moment);
  }
  threads_.set_space(pid, tid, space, moment);
  return space;
}

void Machine::apply_comm(const abi::CommRecord& record, Moment moment) {
  ++counts_.comms;
  const SpaceId space = space_of(record.pid, record.tid, moment);
  if (record.exec) jit_.end(space);
  threads_.set_comm(record.pid, record.tid, record.comm, moment);
}

void Machine::apply_fork(const abi::ForkRecord& record, u16 misc, Moment moment) {
  ++counts_.forks;
  SpaceId parent_space = space_of(record.parent_pid, record.parent_tid, moment);
  ThreadState parent = threads_.newest(record.parent_pid, record.parent_tid);
  if (parent.pid != record.parent_pid) {  // the tid was reused, but no record says so
    parent_space = record.parent_pid == record.parent_tid ? spaces_.create(moment)
                                                          : space_of(record.parent_pid, record.parent_pid, moment);
    threads_.fork(record.parent_pid, record.parent_tid, CommId::of_tid(record.parent_tid), parent_space, moment);
    parent = threads_.newest(record.parent_pid, record.parent_tid);
  }
  SpaceId space;
  //   new thread of the parent's process     the parent's space, shared
  //   thread of another process              the space of that process
  //   process that ran before the recording  a new space: its maps follow (capture/synthesis)
  //   new process                            a fork of the parent's space, which shares its maps
  if (record.pid == record.parent_pid && record.pid != record.tid) {
    space = parent_space;
  } else if (record.pid != record.tid) {
    space = space_of(record.pid, record.pid, moment);
  } else if ((misc & abi::misc_bit::ForkExec) != 0) {
    space = spaces_.create(moment);
  } else {
    space = spaces_.fork(parent_space, moment);
  }
  threads_.fork(record.pid, record.tid, parent.comm, space, moment, record.parent_tid);
}

void Machine::apply_exit(const abi::ExitRecord& record, Moment moment) {
  ++counts_.exits;
  if (forgets_exited_) threads_.exit(record.pid, record.tid, moment);
}

void Machine::apply_mmap(const abi::MmapRecord& record, u16 misc, Moment moment) {
  ++counts_.mmaps;
  if ((misc & abi::misc_bit::ProcMapParseTimeout) != 0) ++counts_.proc_map_timeouts;
  const u16 cpumode = misc & abi::misc_bit::CpumodeMask;
  if (cpumode == abi::misc_bit::GuestKernel) return guests_.add_map(record, dsos_);
  if (cpumode == abi::misc_bit::GuestUser) return;
  if (record.length == 0 || record.start + record.length < record.start) {
    ++counts_.bad_maps;
    if (record.length == 0) return;
  }
  if (cpumode == abi::misc_bit::Kernel) return apply_kernel_mmap(record, moment);
  const SpaceId space = space_of(record.pid, record.tid, moment);
  Map map;
  map.start = record.start;
  map.end = record.start + record.length < record.start ? ~u64{0} : record.start + record.length;
  map.page_offset = record.page_offset;
  map.protection = static_cast<u16>(record.version2 ? record.protection : record.data ? 0 : MapProtection::Exec);
  constexpr u32 kMapShared = 1;
  map.shared = record.version2 && (record.flags & kMapShared) != 0;
  map.dso = dso_of(record, map);
  if (jit_.any() && map.dso && dsos_.at(map.dso).kind == DsoKind::Anonymous) {
    insert_anonymous(space, map, moment);
  } else {
    spaces_.insert(space, map, moment);
  }
  const bool executable = (map.protection & MapProtection::Exec) != 0;
  if (executable && dsos_.places().load && jitdump_pid(record.filename)) {
    begin_jitdump(record, space, map.dso, moment);
  }
}

// A program announces its jitdump by mapping it once.
void Machine::begin_jitdump(const abi::MmapRecord& record, SpaceId space, DsoId dso, Moment moment) {
  const SymbolPlaces& places = dsos_.places();
  if (jit_.find(dso) == nullptr) {
    for (std::string& path : jitdump_places(places, record.pid, record.filename)) {
      auto dump = JitDump::open(path, places.run_time_file_owners(record.pid));
      if (!dump || dump->pid() != *jitdump_pid(record.filename)) continue;
      const JitDump& held = jit_.add(dso, std::move(*dump));
      dsos_.at(dso).kind = DsoKind::JitDump;
      dsos_.set_symbols(dso, held.symbols(), {SourceKind::JitDump, std::move(path)});
      ++counts_.jitdumps;
      if (!jit_clock_.compares(held)) ++counts_.timeless_jitdumps;
      break;
    }
  }
  if (jit_.find(dso) == nullptr) ++counts_.lost_jitdumps;
  jit_.begin(space, dso, jit_clock_, spaces_, moment);
}

// JIT compilers change the protection of code memory, and each change yields a record. Code from a dump must survive
// it.
void Machine::insert_anonymous(SpaceId space, const Map& map, Moment moment) {
  u64 from = map.start;
  bool same = true;  // between pieces of dumped code, memory since `from` is already mapped to this dso
  u64 covered = map.start;
  const auto fill = [&](u64 to) {
    if (from >= to || (same && covered >= to)) return;
    Map gap = map;
    gap.start = from;
    gap.end = to;
    spaces_.insert(space, gap, moment);
  };
  for (const Map& there : spaces_.newest(space, map.start, map.end)) {
    if (there.end <= map.start || there.start >= map.end) continue;
    if (dsos_.at(there.dso).kind == DsoKind::JitDump) {
      fill(std::min(there.start, map.end));
      from = covered = there.end;
      same = true;
      continue;
    }
    same = same && there.start <= covered && there.dso == map.dso;
    covered = there.end;
  }
  fill(map.end);
}

DsoId Machine::dso_of(const abi::MmapRecord& record, Map& map) {
  constexpr u32 kMapHugeTlb = 0x40000;
  const std::string_view name = record.filename;
  const bool executable = (map.protection & MapProtection::Exec) != 0;
  const bool anonymous = is_anonymous(name) || (record.version2 && (record.flags & kMapHugeTlb) != 0);
  if (name == kVdsoName) {
    map.page_offset = 0;
    const DsoId id = dsos_.find_or_add(DsoKind::Vdso, vdso_name_of_map(map.end));
    if (record.has_build_id) dsos_.set_build_id(id, BuildId::from_bytes(record.build_id));
    return id;
  }
  if (anonymous || is_without_dso(name)) {
    map.identity = true;
    if (!executable) return dsos_.find_or_add(DsoKind::NoSymbols, name, identity_of(record));
    const std::string perf_map = fmt::format("/tmp/perf-{}.map", record.pid);
    if (const DsoId known = dsos_.find(perf_map)) return known;
    Dso dso;
    dso.kind = DsoKind::Anonymous;
    dso.name = perf_map;
    dso.pid = record.pid;
    return dsos_.add(std::move(dso));
  }
  const DsoId id = dsos_.find_or_add(DsoKind::File, name, identity_of(record));
  if (dsos_.at(id).pid == 0) dsos_.at(id).pid = record.pid;
  if (record.has_build_id) dsos_.set_build_id(id, BuildId::from_bytes(record.build_id));
  return id;
}

void Machine::apply_kernel_mmap(const abi::MmapRecord& record, Moment moment) {
  const std::string_view name = record.filename;
  // "[kernel.kallsyms]_text": the suffix names a symbol, and page_offset is its address.
  const bool kernel = name.starts_with(kKernelName.substr(0, kKernelName.size() - 1));
  Map map;
  map.start = record.start;
  map.end = record.start + record.length < record.start ? ~u64{0} : record.start + record.length;
  map.protection = MapProtection::Read | MapProtection::Exec;
  map.identity = true;
  if (kernel) {
    map.dso = add_kernel(kKernelName);
    if (name.size() > kKernelName.size() && record.page_offset != 0) {
      dsos_.set_kernel_reference(name.substr(kKernelName.size()), record.page_offset);
    }
    if (record.start == 0 && record.length == 0) map.end = ~u64{0};
  } else if (name.starts_with('/') || name.starts_with('[')) {
    map.dso = add_module(name, false);
    if (Dso& module = dsos_.at(map.dso); module.start == 0) {
      module.start = record.start;
      module.size = record.length;
    }
  } else {
    return;
  }
  if (record.has_build_id) dsos_.set_build_id(map.dso, BuildId::from_bytes(record.build_id));
  spaces_.insert(kernel_space_, map, moment);
}

// The first name given is displayed: a build-id table may name the kernel by the path of its image.
DsoId Machine::add_kernel(std::string_view name) {
  if (dsos_.kernel()) return dsos_.kernel();
  Dso dso;
  dso.kind = DsoKind::Kernel;
  dso.name = name;
  if (name.find("vmlinux") != std::string_view::npos) dso.short_name = "[kernel.vmlinux]";
  const DsoId id = dsos_.add(std::move(dso));
  dsos_.set_kernel(id);
  return id;
}

// Modules are identified by "[name]". If a build-id table gives a path, the path is displayed.
DsoId Machine::add_module(std::string_view path, bool show_path) {
  const std::string name = module_name(path);
  const auto [known, added] = modules_.try_emplace(name);
  if (added) {
    Dso dso;
    dso.kind = DsoKind::Module;
    dso.name = show_path ? std::string(path) : name;
    dso.short_name = name;
    known->second = dsos_.add(std::move(dso));
  }
  if (path.starts_with('/')) dsos_.at(known->second).path = path;
  return known->second;
}

void Machine::apply_ksymbol(const abi::KsymbolRecord& record, Moment moment) {
  constexpr u16 kUnregister = 1;
  ++counts_.ksymbols;
  const u64 end = record.address + record.length;
  if (record.length == 0 || end < record.address) return;
  const MapId covering = spaces_.find_newest(kernel_space_, record.address);
  if ((record.flags & kUnregister) != 0) {
    if (!covering || dsos_.at(spaces_.at(covering).dso).kind != DsoKind::Generated) return;
    spaces_.remove(kernel_space_, spaces_.at(covering).start, spaces_.at(covering).end, moment);
    return;
  }
  if (covering && dsos_.at(spaces_.at(covering).dso).kind == DsoKind::Kernel) return;
  Dso dso;
  dso.kind = DsoKind::Generated;
  dso.name = record.name;
  dso.start = record.address;
  dso.size = record.length;
  Map map;
  map.start = record.address;
  map.end = end;
  map.identity = true;
  map.protection = MapProtection::Read | MapProtection::Exec;
  map.dso = dsos_.add(std::move(dso));
  spaces_.insert(kernel_space_, map, moment);
}

void Machine::set_build_id(std::string_view name, u16 cpumode, const BuildId& id) {
  if (cpumode == abi::misc_bit::GuestKernel || cpumode == abi::misc_bit::GuestUser) return;
  DsoId dso;
  if (is_vdso_name(name)) {
    dso = dsos_.find_or_add(DsoKind::Vdso, name);
  } else if (cpumode != abi::misc_bit::Kernel) {
    dso = dsos_.find_or_add(DsoKind::File, name);
  } else if (is_module_path(name) || (name.starts_with('[') && !name.starts_with(kKernelName))) {
    dso = add_module(name, true);
  } else {
    dso = add_kernel(name);
  }
  dsos_.set_build_id(dso, id);
}

bool Machine::in_kernel_image(u64 ip, bool mapped) const {
  const DsoId kernel = dsos_.kernel();
  if (!kernel) return false;
  const SymbolTable& table = dsos_.symbols(kernel);
  if (table.empty()) return mapped;
  const u64 address = ip + dsos_.bias(kernel);
  return table.start(SymbolIndex(0)) <= address && address < table.end(SymbolIndex(static_cast<u32>(table.size() - 1)));
}

void Machine::forget_before(Moment moment) {
  spaces_.forget_before(moment);
  if (!forgets_exited_ || !(threads_.is_worth_forgetting() || spaces_.is_worth_sweeping())) return;
  threads_.forget_before(moment);
  std::vector<bool> kept(spaces_.space_count());
  kept[kernel_space_.value] = true;
  threads_.mark_spaces(kept);
  jit_.keep(kept);
  spaces_.keep(kept);
}

}  // namespace peregrine
