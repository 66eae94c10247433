// The table of sort keys, and the constants for keys that code refers to.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "abi/data_source.h"
#include "abi/sample.h"
#include "analysis/hist/key/access_parts.h"
#include "analysis/hist/key/data_keys.h"
#include "analysis/hist/key/machine_naming.h"
#include "analysis/hist/key/sample_facts.h"
#include "analysis/hist/key/sort_key.h"
#include "base/types.h"
#include "pipeline/replay/replay.h"

namespace peregrine {
namespace {

constexpr u64 kUnknownCpu = ~u64{0};
constexpr u64 kCacheLine = 64;  // bytes

std::string branch_outcome(const MachineNaming&, u64 value) { return value == 2 ? "Y" : value == 1 ? "N" : "N/A"; }
std::string comm_of_thread(const MachineNaming& names, u64 tid) { return names.thread_comm(static_cast<u32>(tid)); }
std::string page_size(const MachineNaming&, u64 bytes) { return abi::page_size_text(bytes); }
std::string data_type_text(const MachineNaming& names, u64 id) { return names.data_type(static_cast<u32>(id)); }

constexpr std::array kKeys{
    SortKeySpec{.name = "pid",
                .kind = KeyKind::Thread,
                .value = [](SampleFacts& of) -> u64 { return of.replayed().context.thread.tid; },
                .text = comm_of_thread,
                .value_name = "tid",
                .second_name = "thread_comm"},
    SortKeySpec{.name = "comm",
                .kind = KeyKind::Text,
                .value = [](SampleFacts& of) -> u64 { return of.replayed().context.thread.comm.value; },
                .text = [](const MachineNaming& names, u64 id) { return names.comm(static_cast<u32>(id)); }},
    SortKeySpec{.name = "dso", .source = KeySource::Frame, .kind = KeyKind::Dso},
    SortKeySpec{.name = "symbol", .source = KeySource::Frame, .kind = KeyKind::Symbol, .second_name = "level"},
    SortKeySpec{.name = "parent",
                .source = KeySource::DataFrame,
                .kind = KeyKind::SymbolName,
                .value = [](SampleFacts& of) -> u64 { return of.parent().value; }},
    SortKeySpec{.name = "cpu",
                .kind = KeyKind::Processor,
                .value = [](SampleFacts& of) -> u64 {
                  return (of.sample().fields & abi::sample_bit::Cpu) != 0 ? of.sample().cpu : kUnknownCpu;
                }},
    SortKeySpec{.name = "socket",
                .kind = KeyKind::Processor,
                .value = [](SampleFacts& of) { return static_cast<u64>(i64{of.socket()}); }},
    SortKeySpec{.name = "srcline", .source = KeySource::Frame, .kind = KeyKind::Line, .needs = {KeyNeed::Lines}},
    SortKeySpec{.name = "srcfile", .source = KeySource::Frame, .kind = KeyKind::File, .needs = {KeyNeed::Lines}},
    SortKeySpec{
        .name = "local_weight", .value = [](SampleFacts& of) -> u64 { return of.sample().weight; }, .descending = true},
    SortKeySpec{.name = "weight",
                .kind = KeyKind::Total,
                .value = [](SampleFacts& of) -> u64 { return of.sample().weight; },
                .descending = true},
    SortKeySpec{.name = "transaction",
                .kind = KeyKind::Word,
                .value = [](SampleFacts& of) -> u64 { return of.sample().transaction; },
                .text = [](const MachineNaming&, u64 flags) { return transaction_text(flags); }},
    SortKeySpec{.name = "trace",
                .kind = KeyKind::Text,
                .value = [](SampleFacts& of) -> u64 { return of.trace_text(); },
                .text = [](const MachineNaming& names, u64 id) { return names.trace_text(static_cast<u32>(id)); },
                .needs = {KeyNeed::Traces}},
    SortKeySpec{.name = "symbol_size", .source = KeySource::Frame, .kind = KeyKind::SymbolSize},
    SortKeySpec{.name = "dso_size", .source = KeySource::Frame, .kind = KeyKind::DsoSize},
    SortKeySpec{.name = "cgroup",
                .kind = KeyKind::Text,
                .value = [](SampleFacts& of) -> u64 {
                  return (of.sample().fields & abi::sample_bit::Cgroup) != 0 ? of.sample().cgroup : kNoCgroup;
                },
                .text = [](const MachineNaming& names, u64 id) { return names.cgroup(id); },
                .needs = {KeyNeed::Cgroups}},
    SortKeySpec{
        .name = "cgroup_id",
        .kind = KeyKind::Text,
        .value = [](SampleFacts& of) -> u64 { return of.replayed().context.thread.tid; },
        .text = [](const MachineNaming& names, u64 tid) { return names.cgroup_namespace(static_cast<u32>(tid)); },
        .needs = {KeyNeed::Namespaces}},
    SortKeySpec{.name = "time",
                .kind = KeyKind::Time,
                .value = [](SampleFacts& of) { return of.sample().time / of.time_quantum() * of.time_quantum(); }},
    SortKeySpec{.name = "code_page_size",
                .kind = KeyKind::Word,
                .value = [](SampleFacts& of) -> u64 { return of.sample().code_page_size; },
                .text = page_size},
    SortKeySpec{.name = "local_ins_lat",
                .value = [](SampleFacts& of) -> u64 { return of.sample().weight2; },
                .descending = true},
    SortKeySpec{.name = "ins_lat",
                .kind = KeyKind::Total,
                .value = [](SampleFacts& of) -> u64 { return of.sample().weight2; },
                .descending = true},
    SortKeySpec{.name = "local_p_stage_cyc", .value = [](SampleFacts& of) -> u64 { return of.sample().weight3; }},
    SortKeySpec{.name = "p_stage_cyc", .value = [](SampleFacts& of) -> u64 { return of.sample().weight3; }},
    SortKeySpec{
        .name = "addr", .kind = KeyKind::Address, .value = [](SampleFacts& of) -> u64 { return of.sample().ip; }},
    SortKeySpec{.name = "dso_from",
                .source = KeySource::DataFrame,
                .kind = KeyKind::Dso,
                .value = [](SampleFacts& of) -> u64 { return of.branch().from.value; },
                .needs = {KeyNeed::Branches}},
    SortKeySpec{.name = "dso_to",
                .source = KeySource::DataFrame,
                .kind = KeyKind::Dso,
                .value = [](SampleFacts& of) -> u64 { return of.branch().to.value; },
                .needs = {KeyNeed::Branches}},
    SortKeySpec{.name = "symbol_from",
                .source = KeySource::DataFrame,
                .kind = KeyKind::Symbol,
                .value = [](SampleFacts& of) -> u64 { return of.branch().from.value; },
                .needs = {KeyNeed::Branches}},
    SortKeySpec{.name = "symbol_to",
                .source = KeySource::DataFrame,
                .kind = KeyKind::Symbol,
                .value = [](SampleFacts& of) -> u64 { return of.branch().to.value; },
                .needs = {KeyNeed::Branches}},
    SortKeySpec{.name = "mispredict",
                .kind = KeyKind::Text,
                .value = [](SampleFacts& of) -> u64 {
                  return of.branch().entry.mispredicted ? 2 : of.branch().entry.predicted ? 1 : 0;
                },
                .text = branch_outcome,
                .needs = {KeyNeed::Branches}},
    SortKeySpec{.name = "abort",
                .kind = KeyKind::Text,
                .value = [](SampleFacts& of) -> u64 { return of.branch().entry.abort ? 1 : 0; },
                .text = [](const MachineNaming&, u64 value) -> std::string { return value != 0 ? "A" : "."; },
                .needs = {KeyNeed::Branches}},
    SortKeySpec{.name = "in_tx",
                .kind = KeyKind::Text,
                .value = [](SampleFacts& of) -> u64 { return of.branch().entry.in_transaction ? 1 : 0; },
                .text = [](const MachineNaming&, u64 value) -> std::string { return value != 0 ? "T" : "."; },
                .needs = {KeyNeed::Branches}},
    SortKeySpec{.name = "cycles",
                .kind = KeyKind::Counted,
                .value = [](SampleFacts& of) -> u64 { return of.branch().entry.cycles; },
                .needs = {KeyNeed::Branches},
                .descending = true},
    SortKeySpec{.name = "srcline_from",
                .source = KeySource::DataFrame,
                .kind = KeyKind::Line,
                .value = [](SampleFacts& of) -> u64 { return of.branch().from.value; },
                .needs = {KeyNeed::Branches, KeyNeed::PlaceLines}},
    SortKeySpec{.name = "srcline_to",
                .source = KeySource::DataFrame,
                .kind = KeyKind::Line,
                .value = [](SampleFacts& of) -> u64 { return of.branch().to.value; },
                .needs = {KeyNeed::Branches, KeyNeed::PlaceLines}},
    SortKeySpec{.name = "addr_from",
                .source = KeySource::DataFrame,
                .kind = KeyKind::CodePlace,
                .value = [](SampleFacts& of) -> u64 { return of.branch().from.value; },
                .needs = {KeyNeed::Branches, KeyNeed::PlaceAddresses}},
    SortKeySpec{.name = "addr_to",
                .source = KeySource::DataFrame,
                .kind = KeyKind::CodePlace,
                .value = [](SampleFacts& of) -> u64 { return of.branch().to.value; },
                .needs = {KeyNeed::Branches, KeyNeed::PlaceAddresses}},
    SortKeySpec{.name = "symbol_daddr",
                .source = KeySource::DataFrame,
                .kind = KeyKind::CodePlace,
                .value = [](SampleFacts& of) -> u64 { return of.data(of.sample().addr).value; }},
    SortKeySpec{.name = "dso_daddr",
                .source = KeySource::DataFrame,
                .kind = KeyKind::Dso,
                .value = [](SampleFacts& of) -> u64 { return of.data(of.sample().addr).value; }},
    SortKeySpec{.name = "locked",
                .kind = KeyKind::Word,
                .value = [](SampleFacts& of) { return lock_bits(of.sample().data_src); },
                .text = [](const MachineNaming&, u64 bits) { return lock_text(bits); }},
    SortKeySpec{.name = "tlb",
                .kind = KeyKind::Word,
                .value = [](SampleFacts& of) { return tlb_bits(of.sample().data_src); },
                .text = [](const MachineNaming&, u64 bits) { return tlb_text(bits); }},
    SortKeySpec{.name = "mem",
                .kind = KeyKind::Word,
                .value = [](SampleFacts& of) { return memory_level(of.sample().data_src); },
                .text = [](const MachineNaming&, u64 level) { return memory_level_text(level); }},
    SortKeySpec{.name = "snoop",
                .kind = KeyKind::Word,
                .value = [](SampleFacts& of) { return snoop_bits(of.sample().data_src); },
                .text = [](const MachineNaming&, u64 bits) { return snoop_text(bits); }},
    SortKeySpec{.name = "dcacheline",
                .source = KeySource::DataFrame,
                .kind = KeyKind::CodePlace,
                .value = [](SampleFacts& of) -> u64 { return of.data(of.sample().addr & ~(kCacheLine - 1)).value; }},
    SortKeySpec{.name = "symbol_iaddr",
                .source = KeySource::DataFrame,
                .kind = KeyKind::Symbol,
                .value = [](SampleFacts& of) -> u64 { return of.function().value; }},
    SortKeySpec{.name = "phys_daddr",
                .kind = KeyKind::Address,
                .value = [](SampleFacts& of) -> u64 { return of.sample().phys_addr; }},
    SortKeySpec{.name = "data_page_size",
                .kind = KeyKind::Word,
                .value = [](SampleFacts& of) -> u64 { return of.sample().data_page_size; },
                .text = page_size},
    SortKeySpec{.name = "blocked",
                .kind = KeyKind::Word,
                .value = [](SampleFacts& of) { return block_bits(of.sample().data_src); },
                .text = [](const MachineNaming&, u64 bits) { return block_text(bits); }},
    // Added in later releases.
    SortKeySpec{.name = "symoff",
                .source = KeySource::DataFrame,
                .kind = KeyKind::CodePlace,
                .value = [](SampleFacts& of) -> u64 { return of.place().value; },
                .needs = {KeyNeed::PlaceAddresses}},
    SortKeySpec{.name = "parallelism",
                .value = [](SampleFacts& of) { return of.parallelism(); },
                .needs = {KeyNeed::Parallelism}},
    SortKeySpec{.name = "local_retire_lat", .value = [](SampleFacts& of) -> u64 { return of.sample().weight3; }},
    SortKeySpec{.name = "retire_lat",
                .kind = KeyKind::Total,
                .value = [](SampleFacts& of) -> u64 { return of.sample().weight3; }},
    SortKeySpec{
        .name = "comm_nodigit",
        .kind = KeyKind::Text,
        .value = [](SampleFacts& of) -> u64 { return of.replayed().context.thread.comm.value; },
        .text = [](const MachineNaming& names, u64 id) { return without_digits(names.comm(static_cast<u32>(id))); }},
    SortKeySpec{.name = "tgid",
                .kind = KeyKind::Thread,
                .value = [](SampleFacts& of) -> u64 { return of.replayed().context.thread.pid; },
                .text = comm_of_thread,
                .second_name = "process_comm"},
    SortKeySpec{.name = "simd",
                .kind = KeyKind::Text,
                .value = [](SampleFacts&) -> u64 { return 0; },  // known only from decoded traces
                .text = [](const MachineNaming&, u64) { return std::string(); }},
    SortKeySpec{.name = "type",
                .kind = KeyKind::Text,
                .value = [](SampleFacts& of) -> u64 { return of.data_type().type.value; },
                .text = data_type_text,
                .needs = {KeyNeed::DataTypes}},
    SortKeySpec{.name = "typeoff",
                .kind = KeyKind::Text,
                .value = [](SampleFacts& of) -> u64 { return of.data_type().offset.value; },
                .text = data_type_text,
                .needs = {KeyNeed::DataTypes}},
    SortKeySpec{.name = "typecln",
                .kind = KeyKind::Text,
                .value = [](SampleFacts& of) -> u64 { return of.data_type().line.value; },
                .text = data_type_text,
                .needs = {KeyNeed::DataTypes}},
    // Not in linux-perf.
    SortKeySpec{.name = "callsite",
                .source = KeySource::DataFrame,
                .kind = KeyKind::Symbol,
                .value = [](SampleFacts& of) -> u64 { return of.call_site().value; }},
};

constexpr SortKeySpec kAccessPartsKey{.value = [](SampleFacts& of) { return access_parts(of.sample().data_src); }};

template <int Index>
u64 field_value(SampleFacts& of) {
  return of.field(static_cast<std::size_t>(Index));
}
std::string field_value_text(const MachineNaming& names, u64 id) { return names.field_text(static_cast<u32>(id)); }

constexpr auto kFieldKeys = []<int... Index>(std::integer_sequence<int, Index...>) {
  return std::array{
      SortKeySpec{.kind = KeyKind::Field, .value = field_value<Index>, .text = field_value_text, .field = Index}...};
}(std::make_integer_sequence<int, static_cast<int>(kMostDynamicKeys)>());

// Does not compile for a name that is not in the table.
consteval SortKey key_named(std::string_view name) { return *std::ranges::find(kKeys, name, &SortKeySpec::name); }

}  // namespace

constinit const SortKey SortKey::Pid = key_named("pid");
constinit const SortKey SortKey::Comm = key_named("comm");
constinit const SortKey SortKey::Dso = key_named("dso");
constinit const SortKey SortKey::Symbol = key_named("symbol");
constinit const SortKey SortKey::Parent = key_named("parent");
constinit const SortKey SortKey::Cpu = key_named("cpu");
constinit const SortKey SortKey::Socket = key_named("socket");
constinit const SortKey SortKey::LocalWeight = key_named("local_weight");
constinit const SortKey SortKey::LocalLatency = key_named("local_ins_lat");
constinit const SortKey SortKey::LocalStage = key_named("local_p_stage_cyc");
constinit const SortKey SortKey::Time = key_named("time");
constinit const SortKey SortKey::Trace = key_named("trace");
constinit const SortKey SortKey::AddressFrom = key_named("addr_from");
constinit const SortKey SortKey::AddressTo = key_named("addr_to");
constinit const SortKey SortKey::Cycles = key_named("cycles");
constinit const SortKey SortKey::PhysicalAddress = key_named("phys_daddr");
constinit const SortKey SortKey::Process = key_named("tgid");
constinit const SortKey SortKey::Parallelism = key_named("parallelism");
constinit const SortKey SortKey::AccessParts = kAccessPartsKey;

std::span<const SortKeySpec> all_sort_keys() { return kKeys; }

SortKey dynamic_key(std::size_t index) { return kFieldKeys[index]; }

bool is_text(SortKey key) {
  return key->source == KeySource::Group && (key->kind == KeyKind::Text || key->kind == KeyKind::Word ||
                                             key->kind == KeyKind::Field || key->kind == KeyKind::Thread);
}

KeyNeeds needs_of(std::span<const SortKey> keys) {
  KeyNeeds all;
  for (const SortKey key : keys) all.add(key->needs);
  return all;
}

}  // namespace peregrine
