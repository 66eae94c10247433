#include "output/text/field/script_fields.h"

#include <fmt/format.h>

namespace peregrine {
namespace {

namespace f = script_field;

struct FieldName {
  std::string_view name;
  u64 field;
};
constexpr FieldName kFieldNames[] = {
    {"comm", f::Comm},
    {"tid", f::Tid},
    {"pid", f::Pid},
    {"time", f::Time},
    {"cpu", f::Cpu},
    {"event", f::Event},
    {"trace", f::Trace},
    {"ip", f::Ip},
    {"sym", f::Sym},
    {"dso", f::Dso},
    {"addr", f::Addr},
    {"symoff", f::SymOff},
    {"srcline", f::SrcLine},
    {"period", f::Period},
    {"iregs", f::Iregs},
    {"uregs", f::Uregs},
    {"brstack", f::BrStack},
    {"brstacksym", f::BrStackSym},
    {"data_src", f::DataSrc},
    {"weight", f::Weight},
    {"bpf-output", f::BpfOutput},
    {"brstackinsn", f::BrStackInsn},
    {"brstackinsnlen", f::BrStackInsnLen},
    {"brstackoff", f::BrStackOff},
    {"callindent", f::CallIndent},
    {"insn", f::Insn},
    {"insnlen", f::InsnLen},
    {"synth", f::Synth},
    {"phys_addr", f::PhysAddr},
    {"metric", f::Metric},
    {"misc", f::Misc},
    {"srccode", f::SrcCode},
    {"ipc", f::Ipc},
    {"tod", f::Tod},
    {"data_page_size", f::DataPageSize},
    {"code_page_size", f::CodePageSize},
    {"ins_lat", f::InsLat},
    {"flags", f::Flags},
    {"machine_pid", f::MachinePid},
    {"vcpu", f::Vcpu},
    {"disasm", f::Disasm},
    {"brstackdisasm", f::BrStackDisasm},
    {"dsoff", f::DsoOff},
    {"cgroup", f::Cgroup},
    {"retire_lat", f::RetireLat},
    {"callsite", f::CallSite},
    {"brcntr", f::BrCounters},
};

constexpr FieldName kTypeNames[] = {
    {"hw", static_cast<u64>(ScriptType::Hardware)},      {"sw", static_cast<u64>(ScriptType::Software)},
    {"trace", static_cast<u64>(ScriptType::Tracepoint)}, {"raw", static_cast<u64>(ScriptType::Raw)},
    {"break", static_cast<u64>(ScriptType::Breakpoint)}, {"synth", static_cast<u64>(ScriptType::Synth)},
};

// Event types as linux-perf's messages name them. It has no name for raw, breakpoint, synthesized and other events.
constexpr std::string_view kTypeWords[kScriptTypes] = {"hardware", "software", "tracepoint", "hardware-cache",
                                                       "unknown",  "unknown",  "unknown",    "unknown"};

const FieldName* find_name(std::span<const FieldName> names, std::string_view word) {
  for (const FieldName& one : names) {
    if (one.name == word) return &one;
  }
  return nullptr;
}

std::string_view name_of(u64 field) {
  for (const FieldName& one : kFieldNames) {
    if (one.field == field) return one.name;
  }
  return {};
}

// A field that prints a part of the sample: the sample bits that it needs, and the attribute's name in messages.
struct Needed {
  u64 field;
  u64 sample_bits;
  std::string_view word;
  bool lenient;  // may be requested explicitly for events decoded from a trace
};
constexpr Needed kNeeded[] = {
    {f::Addr, abi::sample_bit::Addr, "ADDR", true},
    {f::DataSrc, abi::sample_bit::DataSrc, "DATA_SRC", true},
    {f::Weight, abi::sample_bit::Weight | abi::sample_bit::WeightStruct, "WEIGHT", true},
};
constexpr Needed kNeededAfterwards[] = {
    {f::Tid | f::Pid, abi::sample_bit::Tid, "TID", false},
    {f::Time, abi::sample_bit::Time, "TIME", false},
    {f::Cpu, abi::sample_bit::Cpu, "CPU", true},
    {f::Iregs, abi::sample_bit::RegsIntr, "IREGS", true},
    {f::Uregs, abi::sample_bit::RegsUser, "UREGS", false},
    {f::PhysAddr, abi::sample_bit::PhysAddr, "PHYS_ADDR", false},
    {f::DataPageSize, abi::sample_bit::DataPageSize, "DATA_PAGE_SIZE", false},
    {f::CodePageSize, abi::sample_bit::CodePageSize, "CODE_PAGE_SIZE", false},
    {f::InsLat | f::RetireLat, abi::sample_bit::WeightStruct, "WEIGHT_STRUCT", true},
    {f::Cgroup, abi::sample_bit::Cgroup, "CGROUP", true},
    {f::CallSite, abi::sample_bit::Callchain, "CALLCHAIN", true},
};

// Dummy events have no samples, so their sample bits are not checked.
bool is_dummy(const abi::EventAttr& attr) {
  return attr.type == static_cast<u32>(abi::EventType::Software) &&
         attr.config == static_cast<u64>(abi::SoftwareEvent::Dummy);
}

// The message is linux-perf's; the hint is ours.
Error unknown_field(std::string_view word) {
  std::string known;
  for (const FieldName& one : kFieldNames) known += fmt::format("{}{}", known.empty() ? "" : ", ", one.name);
  return {ErrorKind::Usage, "Invalid field requested.",
          fmt::format("unknown field '{}': choose among {}", word, known)};
}

}  // namespace

ScriptType script_type(const abi::EventAttr& attr) {
  switch (static_cast<abi::EventType>(attr.type)) {
    case abi::EventType::Hardware:
      return ScriptType::Hardware;
    case abi::EventType::Software:
      return ScriptType::Software;
    case abi::EventType::Tracepoint:
      return ScriptType::Tracepoint;
    case abi::EventType::HwCache:
      return ScriptType::HwCache;
    case abi::EventType::Raw:
      return ScriptType::Raw;
    case abi::EventType::Breakpoint:
      return ScriptType::Breakpoint;
  }
  return attr.type == abi::kDecodedType ? ScriptType::Synth : ScriptType::Other;
}

ScriptFields::ScriptFields() {
  const u64 place = f::Comm | f::Tid | f::Cpu | f::Time | f::Event;
  const u64 code = place | f::Ip | f::Sym | f::SymOff | f::Dso | f::Period;
  auto set = [this](ScriptType type) -> Set& { return sets_[static_cast<std::size_t>(type)]; };
  for (auto type : {ScriptType::Hardware, ScriptType::HwCache, ScriptType::Breakpoint}) {
    set(type).fields = code;
    set(type).invalid = f::Trace | f::BpfOutput;
  }
  set(ScriptType::Software).fields = code | f::BpfOutput;
  set(ScriptType::Software).invalid = f::Trace;
  set(ScriptType::Tracepoint).fields = place | f::Trace;
  set(ScriptType::Raw).fields =
      code | f::Addr | f::DataSrc | f::Weight | f::PhysAddr | f::DataPageSize | f::CodePageSize | f::InsLat;
  set(ScriptType::Raw).invalid = f::Trace | f::BpfOutput;
  set(ScriptType::Synth).fields = place | f::Ip | f::Sym | f::SymOff | f::Dso | f::Synth;
  set(ScriptType::Synth).invalid = f::Trace | f::BpfOutput;
  set(ScriptType::Other).fields = code;
  set(ScriptType::Other).invalid = f::Trace | f::BpfOutput;
}

Result<> ScriptFields::parse(std::string_view text, std::vector<std::string>& warnings) {
  const auto colon = text.find(':');
  if (colon != std::string_view::npos) {
    const FieldName* found = find_name(kTypeNames, text.substr(0, colon));
    if (found == nullptr) return fail(ErrorKind::Usage, "Invalid event type in field string.");
    Set& set = sets_[found->field];
    text.remove_prefix(colon + 1);
    if (text.find_first_of("+-") == std::string_view::npos || text.empty()) {
      if (set.user_set) {
        warnings.push_back(fmt::format("Overriding previous field request for {} events.\n", kTypeWords[found->field]));
      }
      set.fields = 0;
      set.chosen = 0;
    }
    set.user_set = true;
    return parse_words(text, static_cast<int>(found->field), warnings);
  }
  if (text.empty()) return fail(ErrorKind::Usage, "Cannot set fields to 'none' for all event types.");
  if (text.find_first_of("+-") == std::string_view::npos) {
    bool again = false;
    for (const Set& set : sets_) again = again || set.user_set;
    if (again) warnings.emplace_back("Overriding previous field request for all events.\n");
    for (Set& set : sets_) {
      set.fields = set.chosen = 0;
      set.user_set = true;
    }
  }
  return parse_words(text, -1, warnings);
}

Result<> ScriptFields::parse_words(std::string_view words, int type, std::vector<std::string>& warnings) {
  enum { Unset, Plain, Changed } style = Unset;
  while (!words.empty()) {
    const auto end = std::min(words.find(','), words.size());
    std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word.empty()) continue;
    const bool adding = word.front() == '+', removing = word.front() == '-';
    if ((adding || removing) ? style == Plain : style == Changed) {
      return fail(ErrorKind::Usage, "Cannot mix +-field with overridden fields");
    }
    style = adding || removing ? Changed : Plain;
    if (adding || removing) word.remove_prefix(1);
    const FieldName* found = find_name(kFieldNames, word);
    if (found == nullptr) return std::unexpected(unknown_field(word));
    PEREGRINE_TRY(apply_word(found->field, word, removing, type, warnings));
  }
  return {};
}

Result<> ScriptFields::apply_word(u64 field, std::string_view word, bool removing, int type,
                                  std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < kScriptTypes; ++i) {
    if (type >= 0 && static_cast<std::size_t>(type) != i) continue;
    Set& set = sets_[i];
    if ((set.invalid & field) != 0) {
      if (type >= 0) return fail(ErrorKind::Usage, "'{}' not valid for {} events.", word, kTypeWords[i]);
      warnings.push_back(fmt::format("'{}' not valid for {} events. Ignoring.\n", word, kTypeWords[i]));
      continue;
    }
    if (field == f::DsoOff && !removing) set.fields |= f::Dso;  // the offset is shown with the dso
    set.fields = removing ? set.fields & ~field : set.fields | field;
    set.chosen = removing ? set.chosen & ~field : set.chosen | field;
    set.removed = removing ? set.removed | field : set.removed & ~field;
    set.user_set = set.user_set || field != f::Flags;  // flags alone do not count as a choice of columns
  }
  return {};
}

Result<> ScriptFields::check(const data::Evlist& evlist, const std::vector<std::string>& names, bool has_traces,
                             bool lenient) {
  for (std::size_t i = 0; i < kScriptTypes; ++i) {
    Set& set = sets_[i];
    std::size_t first = 0;
    while (first < evlist.size() &&
           (is_dummy(evlist[first].attr) || script_type(evlist[first].attr) != static_cast<ScriptType>(i))) {
      ++first;
    }
    if (first != evlist.size() && set.fields != 0)
      PEREGRINE_TRY(check_event(set, evlist[first], names[first], has_traces, lenient));
  }
  return {};
}

Result<> ScriptFields::check_event(Set& set, const data::Event& event, const std::string& name, bool has_traces,
                                   bool lenient) {
  auto check_needed = [&](std::span<const Needed> list) -> Result<> {
    for (const Needed& one : list) {
      if ((set.fields & one.field) == 0 || (event.attr.sample_type & one.sample_bits) != 0) continue;
      if ((set.chosen & one.field) != 0) {
        if (lenient && one.lenient) continue;
        u64 named = set.chosen & one.field;
        named &= ~named + 1;  // lowest bit: "tid" if both tid and pid were named
        return fail(ErrorKind::Usage, "Samples for '{}' event do not have {} attribute set. Cannot print '{}' field.",
                    name, one.word, name_of(named));
      }
      set.fields &= ~one.field;
    }
    return {};
  };
  constexpr Needed kIp[] = {{f::Ip, abi::sample_bit::Ip, "IP", false}};
  if ((set.fields & f::Trace) != 0 && !has_traces) {
    return fail(ErrorKind::Usage, "No trace sample to read. Did you call perf record without -R?");
  }
  PEREGRINE_TRY(check_needed(kIp));
  PEREGRINE_TRY(check_needed(kNeeded));
  const bool address = (event.attr.sample_type & (abi::sample_bit::Ip | abi::sample_bit::Addr)) != 0;
  if ((set.fields & f::Sym) != 0 && !address) {
    return fail(ErrorKind::Usage,
                "Display of symbols requested but neither sample IP nor sample address\navailable. Hence, no addresses "
                "to convert to symbols.");
  }
  if ((set.fields & f::SymOff) != 0 && (set.fields & f::Sym) == 0) {
    return fail(ErrorKind::Usage, "Display of offsets requested but symbol is notselected.");
  }
  if ((set.fields & f::Dso) == 0) set.fields &= ~f::DsoOff;
  if ((set.fields & f::Dso) != 0 && !address) {
    return fail(ErrorKind::Usage, "Display of DSO requested but no address to convert.");
  }
  if ((set.fields & (f::SrcLine | f::SrcCode)) != 0 && (set.fields & f::Ip) == 0) {
    return fail(ErrorKind::Usage,
                "Display of source line number requested but sample IP is not\nselected. Hence, no address to lookup "
                "the source line number.");
  }
  if ((set.fields & (f::BrStackInsn | f::BrStackInsnLen | f::BrStackDisasm)) != 0 && !lenient &&
      (event.attr.branch_sample_type & abi::branch_bit::Any) == 0) {
    return fail(ErrorKind::Usage,
                "Display of branch stack assembler requested, but non all-branch filter set\nHint: run 'perf record -b "
                "...'");
  }
  if ((set.fields & f::BrCounters) != 0 && (event.attr.branch_sample_type & abi::branch_bit::Counters) == 0)
    return fail(ErrorKind::Usage,
                "Display of branch counter requested but it's not enabled\nHint: run 'perf record -j any,counter ...'");
  return check_needed(kNeededAfterwards);
}

void ScriptFields::show_pipe_chains(const data::Evlist& evlist) {
  u64 sampled = 0;  // union over the events so far, in file order
  for (const data::Event& event : evlist) {
    sampled |= event.attr.sample_type;
    constexpr u64 kStack = abi::sample_bit::RegsUser | abi::sample_bit::StackUser;
    if ((sampled & (abi::sample_bit::Callchain | abi::sample_bit::BranchStack)) == 0 && (sampled & kStack) != kStack) {
      continue;
    }
    Set& set = sets_[static_cast<std::size_t>(script_type(event.attr))];
    set.fields |= (f::Ip | f::Sym) & ~set.removed;
  }
}

void ScriptFields::show_tracepoint_chains() {
  sets_[static_cast<std::size_t>(ScriptType::Tracepoint)].fields |= f::Ip | f::Sym | f::SymOff | f::Dso;
}

}  // namespace peregrine
