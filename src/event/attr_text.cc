#include "event/attr_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "abi/aux_action.h"
#include "base/types.h"

namespace peregrine {

namespace {

struct BitName {
  u64 bit;
  std::string_view name;
};

constexpr BitName kSampleBits[] = {
    {abi::sample_bit::Ip, "IP"},
    {abi::sample_bit::Tid, "TID"},
    {abi::sample_bit::Time, "TIME"},
    {abi::sample_bit::Addr, "ADDR"},
    {abi::sample_bit::Read, "READ"},
    {abi::sample_bit::Callchain, "CALLCHAIN"},
    {abi::sample_bit::Id, "ID"},
    {abi::sample_bit::Cpu, "CPU"},
    {abi::sample_bit::Period, "PERIOD"},
    {abi::sample_bit::StreamId, "STREAM_ID"},
    {abi::sample_bit::Raw, "RAW"},
    {abi::sample_bit::BranchStack, "BRANCH_STACK"},
    {abi::sample_bit::RegsUser, "REGS_USER"},
    {abi::sample_bit::StackUser, "STACK_USER"},
    {abi::sample_bit::Identifier, "IDENTIFIER"},
    {abi::sample_bit::RegsIntr, "REGS_INTR"},
    {abi::sample_bit::DataSrc, "DATA_SRC"},
    {abi::sample_bit::Weight, "WEIGHT"},
    {abi::sample_bit::PhysAddr, "PHYS_ADDR"},
    {abi::sample_bit::Aux, "AUX"},
    {abi::sample_bit::Cgroup, "CGROUP"},
    {abi::sample_bit::DataPageSize, "DATA_PAGE_SIZE"},
    {abi::sample_bit::CodePageSize, "CODE_PAGE_SIZE"},
    {abi::sample_bit::WeightStruct, "WEIGHT_STRUCT"},
};

constexpr BitName kReadBits[] = {
    {abi::read_bit::TotalTimeEnabled, "TOTAL_TIME_ENABLED"},
    {abi::read_bit::TotalTimeRunning, "TOTAL_TIME_RUNNING"},
    {abi::read_bit::Id, "ID"},
    {abi::read_bit::Group, "GROUP"},
    {abi::read_bit::Lost, "LOST"},
};

constexpr std::string_view kBranchWords[] = {
    "USER",     "KERNEL",    "HV",        "ANY",      "ANY_CALL",   "ANY_RETURN", "IND_CALL",
    "ABORT_TX", "IN_TX",     "NO_TX",     "COND",     "CALL_STACK", "IND_JUMP",   "CALL",
    "NO_FLAGS", "NO_CYCLES", "TYPE_SAVE", "HW_INDEX", "PRIV_SAVE",  "COUNTERS",
};

// Every flag except precise_ip, a number between Watermark and MmapData.
constexpr BitName kFlagsBeforePrecise[] = {
    {abi::attr_flag::Disabled, "disabled"},
    {abi::attr_flag::Inherit, "inherit"},
    {abi::attr_flag::Pinned, "pinned"},
    {abi::attr_flag::Exclusive, "exclusive"},
    {abi::attr_flag::ExcludeUser, "exclude_user"},
    {abi::attr_flag::ExcludeKernel, "exclude_kernel"},
    {abi::attr_flag::ExcludeHv, "exclude_hv"},
    {abi::attr_flag::ExcludeIdle, "exclude_idle"},
    {abi::attr_flag::Mmap, "mmap"},
    {abi::attr_flag::Comm, "comm"},
    {abi::attr_flag::Freq, "freq"},
    {abi::attr_flag::InheritStat, "inherit_stat"},
    {abi::attr_flag::EnableOnExec, "enable_on_exec"},
    {abi::attr_flag::Task, "task"},
    {abi::attr_flag::Watermark, "watermark"},
};
constexpr BitName kFlagsAfterPrecise[] = {
    {abi::attr_flag::MmapData, "mmap_data"},
    {abi::attr_flag::SampleIdAll, "sample_id_all"},
    {abi::attr_flag::ExcludeHost, "exclude_host"},
    {abi::attr_flag::ExcludeGuest, "exclude_guest"},
    {abi::attr_flag::ExcludeCallchainKernel, "exclude_callchain_kernel"},
    {abi::attr_flag::ExcludeCallchainUser, "exclude_callchain_user"},
    {abi::attr_flag::Mmap2, "mmap2"},
    {abi::attr_flag::CommExec, "comm_exec"},
    {abi::attr_flag::UseClockid, "use_clockid"},
    {abi::attr_flag::ContextSwitch, "context_switch"},
    {abi::attr_flag::WriteBackward, "write_backward"},
    {abi::attr_flag::Namespaces, "namespaces"},
    {abi::attr_flag::Ksymbol, "ksymbol"},
    {abi::attr_flag::BpfEvent, "bpf_event"},
    {abi::attr_flag::AuxOutput, "aux_output"},
    {abi::attr_flag::Cgroup, "cgroup"},
    {abi::attr_flag::TextPoke, "text_poke"},
    {abi::attr_flag::BuildId, "build_id"},
    {abi::attr_flag::InheritThread, "inherit_thread"},
    {abi::attr_flag::RemoveOnExec, "remove_on_exec"},
    {abi::attr_flag::Sigtrap, "sigtrap"},
    {abi::attr_flag::DeferCallchain, "defer_callchain"},
    {abi::attr_flag::DeferOutput, "defer_output"},
};

constexpr BitName kAuxActions[] = {
    {abi::aux_action::StartPaused, "aux_start_paused"},
    {abi::aux_action::Pause, "aux_pause"},
    {abi::aux_action::Resume, "aux_resume"},
};

// The names of the known bits. Unknown bits are left out, as in linux-perf. If no bit has a name, linux-perf prints
// stale buffer contents; this prints the number.
std::string joined(u64 bits, std::span<const BitName> names) {
  std::string text;
  for (const auto& [bit, name] : names) {
    if ((bits & bit) == 0) continue;
    if (!text.empty()) text += '|';
    text += name;
  }
  return text.empty() && bits != 0 ? fmt::format("0x{:x}", bits) : text;
}

class FieldList {
 public:
  void number(const char* name, u64 value) {
    if (value != 0) fields.emplace_back(name, fmt::format("{}", value));
  }
  void signed_number(const char* name, i64 value) {
    if (value != 0) fields.emplace_back(name, fmt::format("{}", value));
  }
  void hex(const char* name, u64 value) {
    if (value != 0) fields.emplace_back(name, fmt::format("0x{:x}", value));
  }
  void text(const char* name, u64 value, std::string text) {
    if (value != 0) fields.emplace_back(name, std::move(text));
  }
  void flags(u64 word, std::span<const BitName> names) {
    for (const auto& [bit, name] : names)
      if ((word & bit) != 0) fields.emplace_back(name, "1");
  }
  std::vector<std::pair<std::string, std::string>> fields;
};

}  // namespace

std::string sample_type_text(u64 bits) { return joined(bits, kSampleBits); }
std::string read_format_text(u64 bits) { return joined(bits, kReadBits); }

std::string branch_type_text(u64 bits) {
  BitName names[std::size(kBranchWords)];
  for (std::size_t i = 0; i < std::size(kBranchWords); ++i) names[i] = {u64{1} << i, kBranchWords[i]};
  return joined(bits, names);
}

std::vector<std::pair<std::string, std::string>> attr_fields(const abi::EventAttr& attr) {
  FieldList list;
  list.number("type", attr.type);
  list.number("size", attr.size);
  list.hex("config", attr.config);
  list.number("{ sample_period, sample_freq }", attr.sample_period);
  list.text("sample_type", attr.sample_type, sample_type_text(attr.sample_type));
  list.text("read_format", attr.read_format, read_format_text(attr.read_format));
  list.flags(attr.flags, kFlagsBeforePrecise);
  list.number("precise_ip", attr.precise_ip());
  list.flags(attr.flags, kFlagsAfterPrecise);
  list.number("{ wakeup_events, wakeup_watermark }", attr.wakeup_events);
  list.number("bp_type", attr.bp_type);
  list.hex("{ bp_addr, config1 }", attr.config1);
  list.hex("{ bp_len, config2 }", attr.config2);
  list.text("branch_sample_type", attr.branch_sample_type, branch_type_text(attr.branch_sample_type));
  list.hex("sample_regs_user", attr.sample_regs_user);
  list.number("sample_stack_user", attr.sample_stack_user);
  list.signed_number("clockid", attr.clockid);
  list.hex("sample_regs_intr", attr.sample_regs_intr);
  list.number("aux_watermark", attr.aux_watermark);
  list.number("sample_max_stack", attr.sample_max_stack);
  list.number("aux_sample_size", attr.aux_sample_size);
  list.flags(attr.aux_action, kAuxActions);
  list.number("sig_data", attr.sig_data);
  list.hex("config3", attr.config3);
  list.hex("config4", attr.config4);
  return std::move(list.fields);
}

std::vector<std::pair<std::string_view, u64>> attr_numbers(const abi::EventAttr& attr) {
  std::vector<std::pair<std::string_view, u64>> numbers{
      {"type", attr.type},
      {"size", attr.size},
      {"config", attr.config},
      {"sample_period", attr.sample_period},
      {"sample_type", attr.sample_type},
      {"read_format", attr.read_format},
      {"precise_ip", attr.precise_ip()},
      {"wakeup_events", attr.wakeup_events},
      {"bp_type", attr.bp_type},
      {"config1", attr.config1},
      {"config2", attr.config2},
      {"branch_sample_type", attr.branch_sample_type},
      {"sample_regs_user", attr.sample_regs_user},
      {"sample_stack_user", attr.sample_stack_user},
      {"clockid", static_cast<u64>(static_cast<i64>(attr.clockid))},
      {"sample_regs_intr", attr.sample_regs_intr},
      {"aux_watermark", attr.aux_watermark},
      {"sample_max_stack", attr.sample_max_stack},
      {"aux_sample_size", attr.aux_sample_size},
  };
  for (const auto& [bit, name] : kFlagsBeforePrecise) numbers.emplace_back(name, attr.has(bit) ? 1 : 0);
  for (const auto& [bit, name] : kFlagsAfterPrecise) numbers.emplace_back(name, attr.has(bit) ? 1 : 0);
  return numbers;
}

std::string attr_text(const abi::EventAttr& attr) {
  std::string text;
  for (const auto& [name, value] : attr_fields(attr)) {
    if (!text.empty()) text += ", ";
    text += name;
    text += ": ";
    text += value;
  }
  return text;
}

}  // namespace peregrine
