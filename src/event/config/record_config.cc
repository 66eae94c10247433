#include "event/config/record_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "abi/attr.h"
#include "base/types.h"
#include "event/config/default_event.h"
#include "event/filter/sample_filter.h"
#include "event/syntax/reload_ratio.h"

namespace peregrine {

namespace {

namespace bit = abi::sample_bit;
namespace flag = abi::attr_flag;
namespace read = abi::read_bit;

constexpr u64 kDefaultFrequency = 4000;
constexpr u64 kLbrStack = abi::branch_bit::User | abi::branch_bit::CallStack | abi::branch_bit::HwIndex;
constexpr u64 kLbrCallStack = kLbrStack | abi::branch_bit::NoFlags | abi::branch_bit::NoCycles;

// The options after defaults are filled in.
struct Settings {
  const SampledTarget& target;
  const RecordConfig& config;
  u64 frequency = 0, period = 0;
  bool inherit = true;
  bool has_cpu = false;    // the target is CPUs
  bool no_target = false;  // we start a workload
  CallgraphRequest callgraph;
};

bool is_function_trace(const EventSpec& spec) { return spec.system == "ftrace" && spec.tracepoint == "function"; }

void set_id(EventSpec& spec, bool identifier) {
  spec.attr.sample_type &= ~(identifier ? bit::Id : bit::Identifier);
  spec.attr.sample_type |= identifier ? bit::Identifier : bit::Id;
  spec.attr.read_format |= read::Id;
}

void set_callgraph(const RecordConfig& config, const CallgraphRequest& wanted, u32 max_stack, EventSpec& spec,
                   std::vector<std::string>& warnings) {
  auto& attr = spec.attr;
  const bool function = is_function_trace(spec);
  attr.sample_type |= bit::Callchain;
  attr.sample_max_stack = static_cast<u16>(max_stack != 0 ? max_stack : wanted.max_frames);
  attr.set(flag::DeferCallchain, wanted.deferred);
  if (config.callchains.kernel_only) attr.set(flag::ExcludeCallchainUser);
  if (config.callchains.user_only) attr.set(flag::ExcludeCallchainKernel);
  if (wanted.mode == CallgraphMode::Lbr) {
    if (config.fields.branch_type != 0) {
      warnings.emplace_back("Branch stacks were requested: call chains use frame pointers instead of LBR");
    } else if (attr.has(flag::ExcludeUser)) {
      warnings.emplace_back("LBR call chains exist for user code only; using frame pointers");
    } else {
      attr.sample_type |= bit::BranchStack;
      attr.branch_sample_type = kLbrCallStack;
    }
  }
  if (wanted.mode == CallgraphMode::Dwarf && !function) {
    attr.sample_type |= bit::RegsUser | bit::StackUser;
    const auto& table = abi::register_table(abi::kHostArch);
    const u64 least = u64{1} << table.ip | u64{1} << table.sp;
    const bool subset = config.fields.user_regs != 0;
    if (subset)
      warnings.emplace_back(
          "Unwinding by DWARF may need all user registers; IP and SP are added to those of --user-regs");
    attr.sample_regs_user |= subset ? least : table.default_mask;
    attr.sample_stack_user = wanted.stack_bytes;
    attr.set(flag::ExcludeCallchainUser);
  }
  if (function) attr.set(flag::ExcludeCallchainUser);
}

void set_rate(const Settings& settings, EventSpec& spec) {
  auto& attr = spec.attr;
  const bool chosen = settings.config.sampling.frequency || settings.config.sampling.period;
  if (attr.sample_period == 0 || chosen) {
    attr.set(flag::Freq, settings.frequency != 0);
    attr.sample_period = settings.frequency != 0 ? settings.frequency : settings.period;
  }
  if (attr.has(flag::Freq)) attr.sample_type |= bit::Period;
  if (settings.config.sampling.no_samples) attr.sample_period = 0;
}

void set_samples(const Settings& settings, EventSpec& spec) {
  const auto& config = settings.config;
  auto& attr = spec.attr;
  const auto add = [&](bool wanted, u64 bits) {
    if (wanted) attr.sample_type |= bits;
  };
  add(config.fields.addresses, bit::Addr | bit::DataSrc);
  attr.set(flag::MmapData, config.fields.addresses && spec.tracking);
  add(config.fields.intr_regs != 0 && !spec.is_dummy(), bit::RegsIntr);
  if (!spec.is_dummy()) attr.sample_regs_intr = config.fields.intr_regs;
  add(config.fields.user_regs != 0 && !spec.is_dummy(), bit::RegsUser);
  if (!spec.is_dummy()) attr.sample_regs_user |= config.fields.user_regs;
  add(settings.has_cpu || config.fields.cpu, bit::Cpu);
  const bool per_cpu = !settings.target.per_thread;
  add(config.fields.timestamps.value_or(true) &&
          (settings.inherit || settings.has_cpu || per_cpu || config.fields.timestamps.has_value()),
      bit::Time);
  add(config.fields.raw, bit::Time | bit::Raw | bit::Cpu);
  add(config.fields.data_source, bit::DataSrc);
  add(config.fields.physical_addresses, bit::PhysAddr);
  add(config.fields.branch_type != 0, bit::BranchStack);
  attr.branch_sample_type = config.fields.branch_type != 0 ? config.fields.branch_type : attr.branch_sample_type;
  add(config.fields.weight || spec.retire_latency, bit::WeightStruct);
  add(config.side_band.cgroups, bit::Cgroup);
  add(config.fields.data_page_size, bit::DataPageSize);
  add(config.fields.code_page_size, bit::CodePageSize);
  add(config.fields.transaction, bit::Transaction);
}

void set_side_band(const RecordConfig& config, EventSpec& spec) {
  auto& attr = spec.attr;
  const bool track = spec.tracking;
  attr.set(flag::Task, track);
  attr.set(flag::Mmap, track);
  attr.set(flag::Mmap2, track);
  attr.set(flag::Comm, track);
  attr.set(flag::CommExec, track);
  attr.set(flag::BuildId, track && config.side_band.build_ids);
  if (!config.side_band.text_poke) attr.set(flag::Ksymbol, track);
  attr.set(flag::BpfEvent, track && config.side_band.bpf_events);
  attr.set(flag::Namespaces, track && config.side_band.namespaces);
  attr.set(flag::Cgroup, track && config.side_band.cgroups);
  attr.set(flag::ContextSwitch, track && config.side_band.switch_events);
  attr.set(flag::DeferOutput, track && config.callchains.callgraph.deferred);
}

void set_start(const Settings& settings, bool leader, EventSpec& spec) {
  auto& attr = spec.attr;
  if (leader) attr.set(flag::Disabled);
  if (settings.no_target && leader && settings.config.sampling.initial_delay_ms == 0) attr.set(flag::EnableOnExec);
  if (spec.immediate) {
    attr.set(flag::Disabled, false);
    attr.set(flag::EnableOnExec, false);
  }
}

// The terms of an event override the options.
void apply_callgraph_terms(const Settings& settings, EventSpec& spec, std::vector<std::string>& warnings) {
  const auto& terms = spec.terms;
  if (!terms.callgraph && !terms.stack_size && !terms.max_stack) return;
  CallgraphRequest wanted;
  if (terms.callgraph || terms.max_stack) {
    const std::string mode = terms.callgraph.value_or("fp");
    if (mode != "no") {
      const auto parsed = parse_callgraph(mode);
      if (!parsed) {
        warnings.push_back(fmt::format("{}: {}; this event records no call chains", spec.name, parsed.error().message));
        return;
      }
      wanted = *parsed;
    }
  }
  if (terms.stack_size) wanted.stack_bytes = static_cast<u32>(std::min<u64>((*terms.stack_size + 7) / 8 * 8, 65528));
  auto& attr = spec.attr;
  if (settings.callgraph.enabled()) {
    attr.sample_type &= ~bit::Callchain;
    if (settings.callgraph.mode == CallgraphMode::Lbr) {
      attr.sample_type &= ~bit::BranchStack;
      attr.branch_sample_type &= ~kLbrStack;
    }
    if (settings.callgraph.mode == CallgraphMode::Dwarf) attr.sample_type &= ~(bit::RegsUser | bit::StackUser);
  }
  if (!wanted.enabled()) return;
  if (wanted.mode == CallgraphMode::Dwarf) {
    attr.sample_type |= bit::Addr | bit::DataSrc;
    attr.set(flag::MmapData, spec.tracking);
  }
  set_callgraph(settings.config, wanted, static_cast<u32>(terms.max_stack.value_or(0)), spec, warnings);
}

void apply_terms(const Settings& settings, EventSpec& spec, std::vector<std::string>& warnings) {
  const auto& terms = spec.terms;
  auto& attr = spec.attr;
  if (terms.period) {
    attr.sample_period = *terms.period;
    attr.set(flag::Freq, false);
    attr.sample_type &= ~bit::Period;
  }
  if (terms.freq) {
    attr.sample_period = *terms.freq;
    attr.set(flag::Freq);
    attr.sample_type |= bit::Period;
  }
  if (terms.time) attr.sample_type = *terms.time ? attr.sample_type | bit::Time : attr.sample_type & ~bit::Time;
  if (terms.branch) {
    if (*terms.branch == "no") {
      attr.sample_type &= ~bit::BranchStack;
    } else if (const auto mask = parse_branch_filter(*terms.branch, true)) {
      attr.sample_type |= bit::BranchStack;
      attr.branch_sample_type |= *mask;  // in addition to the options
    }
  }
  if (terms.inherit) attr.set(flag::Inherit, *terms.inherit);
  if (terms.overwrite) attr.set(flag::WriteBackward, *terms.overwrite);
  if (terms.aux_action) attr.aux_action = *terms.aux_action;
  if (terms.aux_output) attr.set(flag::AuxOutput, *terms.aux_output);
  apply_callgraph_terms(settings, spec, warnings);
}

// The order matters where two settings touch the same bits: options first, then the terms of the event, which override
// them; last what neither may change.
void configure(const Settings& settings, const EventList& list, EventSpec& spec, std::size_t index,
               std::vector<std::string>& warnings) {
  const auto& config = settings.config;
  const bool leader = spec.leader == index;
  auto& attr = spec.attr;
  spec.tool = ToolEvent::None;  // a tool event has nothing to sample: record the dummy that it is to the kernel
  attr.set(flag::SampleIdAll);
  attr.set(flag::Inherit, settings.inherit);
  attr.set(flag::WriteBackward, config.sampling.overwrite);
  attr.read_format = read::Lost;
  attr.sample_type |= bit::Ip | bit::Tid;
  if (spec.sample_read) {
    attr.sample_type |= bit::Read;
    set_id(spec, false);
    if (list[spec.leader].group_size > 1) {
      attr.read_format |= read::Group;
      attr.set(flag::Inherit, false);
    }
  }
  set_rate(settings, spec);
  if (config.fields.thread_counts) {
    attr.read_format |= read::TotalTimeEnabled | read::TotalTimeRunning | read::Id;
    attr.set(flag::InheritStat);
  }
  if (settings.callgraph.enabled())
    set_callgraph(config, settings.callgraph, config.callchains.max_stack, spec, warnings);
  set_samples(settings, spec);
  if (config.sampling.no_buffering) {
    attr.set(flag::Watermark, false);
    attr.wakeup_events = 1;
  }
  set_side_band(config, spec);
  if (config.fields.running_time) attr.read_format |= read::TotalTimeEnabled | read::TotalTimeRunning;
  set_start(settings, leader, spec);
  if (config.sampling.clockid) {
    attr.set(flag::UseClockid);
    attr.clockid = *config.sampling.clockid;
  }
  if (spec.precise_max) attr.set_precise_ip(3);
  if (spec.retire_latency && attr.precise_ip() == 0) attr.set_precise_ip(1);  // imprecise samples have no latency
  if (config.sampling.all_user) attr.flags = (attr.flags | flag::ExcludeKernel) & ~flag::ExcludeUser;
  if (config.sampling.all_kernel) attr.flags = (attr.flags | flag::ExcludeUser) & ~flag::ExcludeKernel;
  attr.read_format |= read::Id;
  apply_terms(settings, spec, warnings);
  if (config.fields.period)
    attr.sample_type = *config.fields.period ? attr.sample_type | bit::Period : attr.sample_type & ~bit::Period;
  if (spec.is_dummy()) attr.sample_type &= ~bit::BranchStack;
  if (spec.filters_samples())
    if (const auto filter = parse_sample_filter(*spec.filter)) attr.sample_type |= filter->needs;
}

// In a {…}:S group only the leader samples. The members are read with it, so they need its sample layout. A member with
// an explicit rate also samples.
void configure_group_reading(EventList& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& leader = list[list[i].leader];
    if (list[i].leader == i || !leader.sample_read) continue;
    auto& attr = list[i].attr;
    if (!list[i].terms.period && !list[i].terms.freq) {
      attr.set(flag::Freq, false);
      attr.set(flag::WriteBackward, false);
      attr.sample_period = 0;
    }
    attr.sample_type = leader.attr.sample_type;
  }
}

void add_ids(const RecordConfig& config, EventList& list) {
  bool identifier = config.fields.identifier;
  for (const auto& spec : list) identifier = identifier || spec.attr.sample_type != list.front().attr.sample_type;
  if (list.size() < 2 && !identifier) return;
  for (auto& spec : list) set_id(spec, identifier);
}

// The first event carries the side-band records. If it would start too late to see them, a dummy event does instead.
void choose_tracking_event(const Settings& settings, EventList& list) {
  const bool delayed = settings.config.sampling.initial_delay_ms != 0;
  std::size_t tracking = 0;
  if (delayed || settings.has_cpu) {
    if (!list.front().is_dummy()) {
      tracking = list.size();
      list.push_back(dummy_event());
      list.back().leader = tracking;
    }
    if (delayed && !settings.has_cpu)
      list[tracking].attr.set(flag::EnableOnExec);
    else
      list[tracking].immediate = true;
  }
  for (std::size_t i = 0; i < list.size(); ++i) list[i].tracking = i == tracking;
}

}  // namespace

Result<> configure_for_record(const SampledTarget& target, const RecordConfig& config, EventList& list,
                              std::vector<std::string>& warnings) {
  if (list.empty()) return fail(ErrorKind::Usage, "no event to record");
  Settings settings{.target = target, .config = config, .callgraph = config.callchains.callgraph};
  settings.period = config.sampling.period.value_or(0);
  settings.frequency = settings.period != 0 ? 0 : config.sampling.frequency.value_or(kDefaultFrequency);
  if (config.sampling.period && config.sampling.frequency)
    return fail(ErrorKind::Usage, "cannot set frequency and period at the same time");
  if (settings.period == 0 && settings.frequency == 0)
    return fail(ErrorKind::Usage, "frequency and count are zero, aborting");
  settings.has_cpu = target.system_wide || target.cpu_list;
  settings.no_target = !settings.has_cpu && !target.has_pids;
  settings.inherit = config.sampling.inherit.value_or(!target.has_tids) && !(target.per_thread && !settings.has_cpu);
  for (const auto& spec : list)
    if (spec.system_wide && !settings.has_cpu)
      return fail(ErrorKind::Usage, "Invalid event ({}) in per-thread mode, enable system wide with '-a'.", spec.name);
  for (const auto& spec : list) {
    if (spec.terms.overwrite.value_or(config.sampling.overwrite) == config.sampling.overwrite) continue;
    Error error{ErrorKind::Unsupported,
                fmt::format("{}: events with and without overwrite cannot be recorded together", spec.name)};
    error.hint = "events that share a ring buffer must all be overwritten, or none: use --overwrite for all of them";
    return std::unexpected(std::move(error));
  }
  choose_tracking_event(settings, list);
  if (config.sampling.group) join_group(list);
  for (const EventSpec& spec : list) {
    if (spec.tool == ToolEvent::Machine)
      return std::unexpected(
          Error{ErrorKind::Usage, fmt::format("{}: machine numbers cannot be sampled", spec.name)}.with_hint(
              fmt::format("'stat -e {} true' shows the value", spec.name)));
    if (spec.tool == ToolEvent::Sensor)
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("{}: sensors cannot be sampled", spec.name)}.with_hint(
          fmt::format("'stat -I 1000 -e {}' shows the value every second", spec.name)));
  }
  for (std::size_t i = 0; i < list.size(); ++i) configure(settings, list, list[i], i, warnings);
  configure_group_reading(list);
  PEREGRINE_TRY(apply_reload_ratios(list));
  add_ids(config, list);
  for (auto& spec : list) spec.attr.size = abi::written_size(spec.attr);
  return {};
}

}  // namespace peregrine
