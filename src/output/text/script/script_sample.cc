#include "output/text/script/script_sample.h"

#include <algorithm>
#include <ctime>

#include "output/text/field/script_branch_code.h"
#include "output/text/field/script_branches.h"
#include "output/text/field/script_decoded.h"
#include "output/text/field/script_values.h"
#include "output/text/format/printable.h"
#include "output/text/format/seconds_text.h"
#include "pipeline/replay/call_site.h"
#include "pipeline/replay/kernel_names.h"

namespace peregrine {
namespace {

namespace f = script_field;
constexpr u64 kBranches = f::BrStack | f::BrStackSym | f::BrStackOff;
constexpr u64 kBranchCode = f::BrStackInsn | f::BrStackInsnLen | f::BrStackDisasm;
constexpr u64 kCounted = f::BrCounters;
constexpr u64 kInstruction = f::Insn | f::InsnLen | f::Disasm;
constexpr u64 kLineFields = f::Sym | f::SymOff | f::Dso | f::DsoOff | f::SrcLine;
constexpr std::size_t kSampleRoom = 512;  // bytes for everything in a sample but names, registers and branches

bool is_page_fault(const abi::EventAttr& attr) {
  if (attr.type != static_cast<u32>(abi::EventType::Software)) return false;
  const auto config = static_cast<abi::SoftwareEvent>(attr.config);
  return config == abi::SoftwareEvent::PageFaults || config == abi::SoftwareEvent::MinorFaults ||
         config == abi::SoftwareEvent::MajorFaults;
}

}  // namespace

bool is_branch_record(const abi::EventAttr& attr) {
  return attr.type == static_cast<u32>(abi::EventType::Hardware) && (attr.config & 0xffffffff) == 4 &&
         attr.sample_period == 1 && !attr.has(abi::attr_flag::Freq);
}

ScriptPlan::ScriptPlan(const data::Evlist& evlist, const std::vector<std::string>& names, const ScriptFields& fields,
                       const TraceFormats& formats, bool callchains) {
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  for (std::size_t i = 0; i < evlist.size(); ++i) {
    ScriptEvent event;
    event.fields = fields.of(script_type(evlist[i].attr));
    event.name = std::string(width - names[i].size(), ' ') + names[i] + ": ";
    event.callchain = callchains && evlist[i].attr.samples(abi::sample_bit::Callchain);
    event.comm_padded = !(event.callchain && (event.fields & f::Ip) != 0);
    event.bpf_output = evlist[i].attr.type == static_cast<u32>(abi::EventType::Software) &&
                       evlist[i].attr.config == static_cast<u64>(abi::SoftwareEvent::BpfOutput);
    if (script_type(evlist[i].attr) == ScriptType::Tracepoint)
      event.format = formats.print_format(evlist[i].attr.config);
    if (event.format != nullptr) event.traced = formats.format(evlist[i].attr.config);
    if (evlist[i].attr.type == abi::kDecodedType) event.decoded = static_cast<abi::DecodedEvent>(evlist[i].attr.config);
    event.bare_name = names[i];
    event.address_has_symbol = is_page_fault(evlist[i].attr);
    event.is_branch = is_branch_record(evlist[i].attr);
    event.shows_target = (event.fields & f::Addr) != 0 || (evlist[i].attr.samples(abi::sample_bit::Addr) &&
                                                           !fields.user_set(script_type(evlist[i].attr)));
    const u64 kind = event.fields & kLineFields;
    const auto known = std::find(line_kinds.begin(), line_kinds.end(), kind);
    event.line_kind = static_cast<u32>(known - line_kinds.begin());
    if (known == line_kinds.end()) line_kinds.push_back(kind);
    events.push_back(std::move(event));
  }
}

bool ScriptPlan::needs_single_worker() const {
  return relative || delta || in_sequence || check_order || event_switch.any() || !graph_functions.empty() ||
         std::any_of(events.begin(), events.end(), [](const ScriptEvent& event) {
           return (event.fields & (f::DataSrc | f::SrcCode | f::Metric | f::Cgroup)) != 0 ||
                  (event.is_branch && (event.fields & (f::CallIndent | f::Flags)) != 0);
         });
}

bool ScriptPlan::names_cgroups() const {
  return std::ranges::any_of(events, [](const ScriptEvent& event) { return (event.fields & f::Cgroup) != 0; });
}

void ScriptPlan::take_events(ScriptPlan grown) {
  events = std::move(grown.events);
  line_kinds = std::move(grown.line_kinds);
  counters = std::move(grown.counters);
}

ScriptSample::ScriptSample(const ScriptPlan& plan)
    : plan_(plan), switch_(plan.event_switch), calls_(plan.graph_functions) {
  if (plan.make_writer) writer_ = plan.make_writer();
  take_line_kinds();
}

void ScriptSample::take_line_kinds() {
  frames_.clear();
  using Place = SourceTable::Place;
  SourceTable* const table = plan_.sources;
  for (const u64 kind : plan_.line_kinds) {
    frames_.push_back({ScriptFrames(kind, {table, false, Place::Exact}),
                       ScriptFrames(kind, {table, true, Place::Exact}),
                       ScriptFrames(kind, {table, true, Place::Return})});
  }
}

bool ScriptSample::put(ScriptText& out, const ReplaySample& replayed, Resolver& resolver) {
  const ScriptEvent& event = plan_.events[replayed.event];
  const abi::Sample& sample = replayed.sample;
  if (plan_.check_order) {
    misordered_ += sample.time < previous_time_ ? 1 : 0;
    previous_time_ = sample.time;
    return false;
  }
  if (!plan_.symbols.empty() || !plan_.addresses.empty() || !plan_.dsos.empty()) {
    const FrameId own = resolver.frame(replayed.context, sample.ip, sample.cpumode());
    if (!accepted(replayed, resolver, own)) return false;
  }
  if (switch_.any() && switch_.discards(replayed.event)) return false;
  if (!follow_calls(replayed, event, resolver)) return false;
  if (writer_) {
    writer_->put(out, event, replayed, resolver);
    return true;
  }
  if (event.fields == 0) return true;
  const std::string_view comm = resolver.comm(replayed.context);
  out.room(kSampleRoom + comm.size() + event.name.size());
  put_start(out, event, comm, sample, std::nullopt);
  if ((event.fields & f::Period) != 0) {
    out.put_decimal(replayed.period, 10);
    out.put(' ');
  }
  if ((event.fields & f::Event) != 0) out.put(event.name);
  if ((event.fields & f::Flags) != 0) put_flags(out, sample);
  if (event.is_branch) {
    put_branch(out, replayed, event, resolver);
    return true;
  }
  if ((event.fields & f::Trace) != 0 && event.format != nullptr && !sample.raw.empty()) {
    KernelNames kernel(resolver, replayed.context);
    event.format->print(out, sample.raw, &kernel);
    out.room(kSampleRoom);
  }
  if ((event.fields & f::CallSite) != 0) {
    std::string site(" <- ");
    append_symbol(site, resolver, resolver.at(call_site(replayed, resolver)), true);
    out.room(kSampleRoom + site.size());
    out.put(site);
  }
  if (event.decoded && (event.fields & f::Synth) != 0) put_decoded(out, *event.decoded, sample.raw);
  constexpr u64 kBeforeCode = f::Addr | f::DataSrc | f::Weight | f::InsLat | f::RetireLat | f::Cgroup;
  if ((event.fields & kBeforeCode) != 0) put_address(out, replayed, event, resolver);
  if ((event.fields & f::Ip) != 0) put_code(out, replayed, event, resolver);
  constexpr u64 kBehindCode = f::Iregs | f::Uregs | kBranches | f::BpfOutput | kInstruction | kBranchCode | kCounted |
                              f::PhysAddr | f::DataPageSize | f::CodePageSize;
  if ((event.fields & kBehindCode) != 0) put_rest(out, replayed, event, resolver);
  if ((event.fields & f::Ipc) != 0) put_cycles(out, sample);
  out.room(1);
  out.put('\n');
  if ((event.fields & f::SrcCode) != 0) code_of(resolver).put_source_text(out, replayed, resolver, sample.ip);
  return true;
}

bool ScriptSample::accepted(const ReplaySample& replayed, Resolver& resolver, FrameId own) {
  const Frame& frame = resolver.at(own);
  if (!plan_.dsos.empty()) {
    if (!frame.dso) return false;
    const Dso& dso = resolver.machine().dsos().at(frame.dso);
    const auto is_it = [&](const std::string& name) { return name == dso.short_name || name == dso.name; };
    if (std::none_of(plan_.dsos.begin(), plan_.dsos.end(), is_it)) return false;
  }
  if (plan_.symbols.empty() && plan_.addresses.empty()) return true;
  const u64 ip = replayed.sample.ip;
  for (const u64 address : plan_.addresses) {
    if (ip >= address && ip - address < plan_.address_range) return true;
  }
  const std::string_view name = resolver.symbol_name(frame);
  return std::find(plan_.symbols.begin(), plan_.symbols.end(), name) != plan_.symbols.end();
}

void ScriptSample::put_start(ScriptText& out, const ScriptEvent& event, std::string_view comm,
                             const abi::Sample& sample, std::optional<abi::RecordType> side_band) {
  put_thread(out, event, comm, sample);
  if ((event.fields & f::Misc) != 0) put_misc(out, sample.misc, side_band);
  if ((event.fields & f::Tod) != 0 && plan_.clock) put_time_of_day(out, sample.time);
  if ((event.fields & f::Time) != 0) put_time(out, sample.time);
}

// Writes the columns before the time, from a cache if they equal those of the CPU's last sample.
void ScriptSample::put_thread(ScriptText& out, const ScriptEvent& event, std::string_view comm,
                              const abi::Sample& sample) {
  Beginning& beginning = beginnings_[sample.cpu % kBeginnings];
  if (beginning.is_of(event, comm, sample)) return out.put_padded(beginning.text, beginning.length);
  const std::size_t before = out.size();
  put_new_thread(out, event, comm, sample);
  beginning.keep(event, comm, sample, out.view().substr(before));
}

void ScriptSample::Beginning::keep(const ScriptEvent& event, std::string_view comm_now, const abi::Sample& sample,
                                   std::string_view start) {
  length = 0;
  if (comm_now.size() > sizeof comm || start.size() > sizeof text - ScriptText::kSlack) return;
  fields = event.fields;
  padded = event.comm_padded;
  pid = sample.pid;
  tid = sample.tid;
  cpu = sample.cpu;
  comm_length = static_cast<u8>(comm_now.copy(comm, sizeof comm));
  length = static_cast<u8>(start.copy(text, start.size()));
}

void ScriptSample::put_new_thread(ScriptText& out, const ScriptEvent& event, std::string_view comm,
                                  const abi::Sample& sample) const {
  if ((event.fields & f::Comm) != 0) {
    std::string safe;
    if (!is_printable(comm)) {
      safe = printable(comm);
      out.room(kSampleRoom + safe.size() + event.name.size());
      comm = safe;
    }
    if (plan_.latency)
      out.put_right(comm.substr(0, 8), 8);
    else if (event.comm_padded)
      out.put_right(comm, 16);
    else
      out.put(comm);
    out.put(' ');
  }
  if ((event.fields & f::Pid) != 0) {
    out.put_signed(static_cast<i32>(sample.pid), 5);
    if ((event.fields & f::Tid) != 0) {
      out.put('/');
      const std::size_t before = out.size();
      out.put_signed(static_cast<i32>(sample.tid));
      const std::size_t length = out.size() - before;
      if (length < 5) out.fill(' ', 5 - length);
    }
    out.put(' ');
  } else if ((event.fields & f::Tid) != 0) {
    out.put_signed(static_cast<i32>(sample.tid), 5);
    out.put(' ');
  }
  if ((event.fields & f::Cpu) != 0 && plan_.latency) {
    out.put_signed(static_cast<i32>(sample.cpu), 3);
    out.put(' ');
  } else if ((event.fields & f::Cpu) != 0) {
    out.put('[');
    out.put_signed(static_cast<i32>(sample.cpu), 3, '0');
    out.put("] ");
  }
}

void ScriptSample::put_misc(ScriptText& out, u16 misc, std::optional<abi::RecordType> side_band) {
  using abi::RecordType;
  const std::size_t before = out.size();
  constexpr std::string_view kModes[] = {"", "K", "U", "KUH", "G", "KGg", "UGg", "KUHGg"};
  out.put(kModes[misc & 7]);
  const bool flag = (misc & abi::misc_bit::MmapData) != 0;
  if (side_band == RecordType::Mmap || side_band == RecordType::Mmap2) {
    if (flag) out.put('M');
  } else if (side_band == RecordType::Comm) {
    if (flag) out.put('E');
  } else if (side_band == RecordType::Switch || side_band == RecordType::SwitchCpuWide) {
    if (flag) out.put('S');
    if (flag && (misc & abi::misc_bit::SwitchOutPreempt) != 0) out.put('p');
  }
  const std::size_t length = out.size() - before;
  out.fill(' ', length < 6 ? 6 - length : 1);
}

void ScriptSample::put_time(ScriptText& out, u64 time) {
  u64 shown = time;
  if (plan_.relative) {
    if (first_time_ == 0) first_time_ = time;
    shown = time - first_time_;
  } else if (plan_.delta) {
    shown = previous_time_ == 0 ? 0 : time - previous_time_;
    previous_time_ = time;
  }
  if (shown - second_ >= kSecondInNs || second_length_ == 0) {  // most lines share the second of the line before
    second_ = shown - shown % kSecondInNs;
    second_length_ = static_cast<u8>(TextBuffer::decimal_at(second_text_, shown / kSecondInNs, 5, ' ') - second_text_);
  }
  out.put_padded(second_text_, second_length_);
  put_fraction(out, static_cast<u32>(shown - second_));
  out.put(": ");
}

// Writes "2026-11-21 20:27:42.496900 ".
void ScriptSample::put_time_of_day(ScriptText& out, u64 time) {
  const u64 wall = plan_.clock->wall_clock_ns + time - plan_.clock->clock_ns;
  const auto second = static_cast<std::time_t>(wall / kSecondInNs);
  if (second != day_second_) {
    std::tm parts{};
    char date[64] = "";
    if (::localtime_r(&second, &parts) != nullptr) std::strftime(date, sizeof date, "%F %H:%M:%S", &parts);
    day_text_ = date;
    day_second_ = second;
  }
  out.put(day_text_);
  put_fraction(out, static_cast<u32>(wall % kSecondInNs));
  out.put(' ');
}

// Writes ".496900" from the nanoseconds since the start of the second.
void ScriptSample::put_fraction(ScriptText& out, u32 rest) const {
  out.put('.');
  if (plan_.nanoseconds)
    out.put_decimal(rest, 9, '0');
  else
    out.put_six_digits(rest / 1000);
}

void ScriptSample::put_code(ScriptText& out, const ReplaySample& replayed, const ScriptEvent& event,
                            Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  if (!event.callchain) {
    put_own_address(out, replayed, resolver);
    if (plan_.line_kinds[event.line_kind] != 0) {
      const FrameId frame = resolver.frame(replayed.context, sample.ip, sample.cpumode());
      frames_[event.line_kind].plain.put_tail(out, resolver, frame);
    }
    return;
  }
  out.put('\n');
  put_chain(out, replayed, event, resolver);
}

void ScriptSample::put_own_address(ScriptText& out, const ReplaySample& replayed, Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  const ScriptAddresses shown = plan_.shown_addresses;
  out.put(' ');
  if (shown != ScriptAddresses::Relative) out.put_hex(sample.ip, 16);
  if (shown != ScriptAddresses::Relative && shown != ScriptAddresses::Both) return;
  if (shown == ScriptAddresses::Both) out.put(' ');
  out.put_hex(resolver.at(resolver.frame(replayed.context, sample.ip, sample.cpumode())).address, 16);
}

// Addresses of unwound frames are inside the call instruction. Those of recorded chains are return addresses after it,
// except for the innermost frame and the frame that entered the kernel.
void ScriptSample::put_chain(ScriptText& out, const ReplaySample& replayed, const ScriptEvent& event,
                             Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  KindFrames& lines = frames_[event.line_kind];
  const std::optional<u64> cookie = plan_.merges_chains ? std::nullopt : deferred_cookie(sample.callchain);
  chain_.clear();
  chain_ips_.clear();
  const bool plain_addresses =
      plan_.shown_addresses == ScriptAddresses::AsPerf || plan_.shown_addresses == ScriptAddresses::Relative;
  const auto recorded_chain = sample.callchain.first(sample.callchain.size() - (cookie ? 2 : 0));
  resolver.chain(replayed.context, recorded_chain, replayed.unwound ? ~0u : plan_.max_stack, chain_,
                 plain_addresses ? nullptr : &chain_ips_);
  const auto put_frame = [&](ScriptFrames& frames, std::size_t i) {
    if (plain_addresses)
      frames.put_line(out, resolver, chain_[i]);
    else
      frames.put_line_at(out, resolver, chain_[i], chain_ips_[i], plan_.shown_addresses);
  };
  const bool recorded = plan_.inlines == ScriptInlines::Always && plan_.sources != nullptr;
  const bool unwound = replayed.unwound && plan_.inlines != ScriptInlines::Never && plan_.sources != nullptr;
  bool user_before = false;
  for (std::size_t i = 0; i < chain_.size(); ++i) {
    const FrameId frame = chain_[i];
    if (!recorded && !unwound) {
      put_frame(lines.plain, i);
    } else {
      const bool user = resolver.at(frame).kind == FrameKind::User;
      const bool exact = i == 0 || (user && (unwound || !user_before));
      if (unwound && !user && !recorded)
        put_frame(lines.plain, i);
      else
        put_frame(exact ? lines.exact : lines.caller, i);
      user_before = user;
    }
    if (!plan_.stop_at.empty() && std::find(plan_.stop_at.begin(), plan_.stop_at.end(),
                                            resolver.symbol_name(resolver.at(frame))) != plan_.stop_at.end()) {
      return;
    }
  }
  if (cookie) put_cookie(out, *cookie, event.fields);
}

ScriptCode& ScriptSample::code_of(const Resolver& resolver) {
  if (!code_) code_.emplace(resolver.machine().dsos(), plan_.sources, plan_.mnemonics);
  return *code_;
}

void ScriptSample::put_rest(ScriptText& out, const ReplaySample& replayed, const ScriptEvent& event,
                            Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  if ((event.fields & f::Iregs) != 0) put_registers(out, sample.interrupt_registers, plan_.arch);
  if ((event.fields & f::Uregs) != 0) put_registers(out, sample.user_registers, plan_.arch);
  if ((event.fields & kBranches) != 0) put_branches(out, replayed, resolver, event.fields, words_);
  if (event.bpf_output && (event.fields & f::BpfOutput) != 0) put_bpf_output(out, sample.raw);
  if ((event.fields & kInstruction) != 0) code_of(resolver).put_instruction(out, replayed, resolver, event.fields);
  if ((event.fields & kBranchCode) != 0)
    put_branch_code(out, replayed, resolver, {event.fields, plan_.max_blocks}, plan_.counters, code_of(resolver));
  else if ((event.fields & f::BrCounters) != 0)
    put_counters(out, replayed);
  out.room(kSampleRoom);
  if ((event.fields & f::PhysAddr) != 0) out.put_hex(sample.phys_addr, 16);
  if ((event.fields & f::DataPageSize) != 0) put_page_size(out, sample.data_page_size);
  if ((event.fields & f::CodePageSize) != 0) put_page_size(out, sample.code_page_size);
}

}  // namespace peregrine
