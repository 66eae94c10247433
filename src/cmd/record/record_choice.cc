#include "cmd/record/record_choice.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "abi/arch/registers.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/perf_event/interrupt_register.h"
#include "capture/perf_event/ring_buffer.h"
#include "capture/synthesis/process.h"
#include "cli/option/option.h"
#include "event/config/callgraph.h"
#include "event/config/record_config.h"

namespace peregrine::cmd {
namespace {

Result<> choose_registers(u64& mask, u64 allowed, const Use& use) {
  if (use.negated) {
    mask = 0;
    return {};
  }
  if (mask != 0) return fail(ErrorKind::Usage, "{} can be given only once", use.spelled);
  const auto& table = abi::register_table(abi::kHostArch);
  if (!use.has_value) {
    mask = table.default_mask;
    return {};
  }
  if (use.value == "?") return fail(ErrorKind::Usage, "available registers: {}\n", register_list(table, allowed));
  auto parsed = parse_registers(use.value, table, allowed);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  mask = *parsed;
  return {};
}

Result<> only(bool& wanted, bool other, std::string_view other_name, const Use& use) {
  if (other) return fail(ErrorKind::Usage, "option `{}' cannot be used with {}", use.option->name, other_name);
  wanted = !use.negated;
  return {};
}

void set_callgraph(RecordCommandOptions& options, const CallgraphRequest& request) {
  options.callgraph() = request;
  // The unwinder reads data of the mapped files.
  if (request.mode == CallgraphMode::Dwarf) options.fields().addresses = true;
}

bool same_word(std::string_view word, std::string_view lower) {
  return std::ranges::equal(word, lower, [](unsigned char a, char b) { return std::tolower(a) == b; });
}

}  // namespace

Result<> choose_branches(RecordCommandOptions& options, const Use& use) {
  auto& type = options.fields().branch_type;
  if (use.negated) {
    type = 0;
    return {};
  }
  if (type != 0) {
    Error error{ErrorKind::Usage, "Can't use --branch-any (-b) with --branch-filter (-j)."};
    error.hint = "list all filters in one option: -j any,u";
    return std::unexpected(std::move(error));
  }
  auto mask = parse_branch_filter(use.value);
  if (!mask) return std::unexpected(std::move(mask.error()));
  type = *mask;
  return {};
}

Result<> add_pfm_events(RecordCommandOptions& options, const Use& use) {
  return use.negated ? Result<>() : options.events.add_pfm(use.value);
}

Result<> add_filter(RecordCommandOptions& options, const Use& use) { return options.events.filter(use.value); }

Result<> any_branch(RecordCommandOptions& options, const Use& use) {
  Use any = use;
  any.value = "any";
  return choose_branches(options, any);
}

Result<> choose_intr_registers(RecordCommandOptions& options, const Use& use) {
  const u64 allowed = use.has_value ? interrupt_register_mask() : 0;
  return choose_registers(options.fields().intr_regs, allowed, use);
}

Result<> choose_user_registers(RecordCommandOptions& options, const Use& use) {
  return choose_registers(options.fields().user_regs, abi::register_table(abi::kHostArch).default_mask, use);
}

Result<> choose_cgroups(RecordCommandOptions& options, const Use& use) {
  if (use.negated) {
    options.events.unbind_cgroups();
    return {};
  }
  return options.events.bind_cgroups(use.value);
}

Result<> choose_synthesis(RecordCommandOptions& options, const Use& use) {
  SynthesisScope& chosen = options.request.recording.synthesis.scope;
  chosen = {};
  if (use.negated) return {};
  SynthesisScope scope{.tasks = false, .maps = false, .cgroups = false};
  for (std::string_view rest = use.value;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    if (same_word(word, "no")) {
      chosen = {.tasks = false, .maps = false, .cgroups = false};
      return {};
    }
    if (same_word(word, "all"))
      scope = {};
    else if (same_word(word, "task"))
      scope.tasks = true;
    else if (same_word(word, "mmap"))
      scope.tasks = scope.maps = true;  // maps depend on their tasks
    else if (same_word(word, "cgroup"))
      scope.cgroups = true;
    else
      return fail(ErrorKind::Usage, "Invalid synth option: {}", use.value);
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  chosen = scope;
  return {};
}

Result<> only_user(RecordCommandOptions& options, const Use& use) {
  return only(options.sampling().all_user, options.sampling().all_kernel, "all-kernel", use);
}

Result<> only_kernel(RecordCommandOptions& options, const Use& use) {
  return only(options.sampling().all_kernel, options.sampling().all_user, "all-user", use);
}

Result<> add_events(RecordCommandOptions& options, const Use& use) {
  if (use.negated) {
    options.events.clear();
    return {};
  }
  return options.events.add(use.value);
}

Result<> choose_frequency(RecordCommandOptions& options, const Use& use) {
  options.sampling().frequency_max = use.value == "max";
  if (options.sampling().frequency_max) return {};
  const auto value = parse_number<u64>(use.value);
  if (!value) return fail(ErrorKind::Usage, "Invalid frequency \"{}\"", use.value);
  options.sampling().frequency = *value;
  return {};
}

Result<> want_callgraph(RecordCommandOptions& options, const Use& use) {
  if (use.negated) {
    options.callgraph() = {};
  } else if (!options.callgraph().enabled()) {
    // As in linux-perf, dwarf from the configuration does not record data mappings; --call-graph dwarf does.
    options.callgraph() = options.usual_callgraph;
  }
  return {};
}

Result<> choose_callgraph(RecordCommandOptions& options, const Use& use) {
  if (use.negated) return want_callgraph(options, use);
  auto request = parse_callgraph(use.value);
  if (!request) return std::unexpected(std::move(request.error()));
  set_callgraph(options, *request);
  return {};
}

Result<> choose_ring_size(RecordCommandOptions& options, const Use& use) {
  const std::string_view data = use.value.substr(0, use.value.find(','));
  auto bytes = parse_ring_size(data);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  options.request.recording.rings.ring_bytes = *bytes;
  return {};
}

Result<> no_inherit(RecordCommandOptions& options, const Use& use) {
  options.sampling().inherit = use.negated;
  return {};
}

Result<> no_bpf_event(RecordCommandOptions& options, const Use& use) {
  options.request.recording.config.side_band.bpf_events = use.negated;
  return {};
}

}  // namespace peregrine::cmd
