#include "session/probe/existing_probes.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "base/text/counted.h"
#include "output/text/format/printable.h"
#include "probe/argument/argument_gaps.h"
#include "probe/definition/trace_probe.h"
#include "probe/point/place_text.h"
#include "probe/program_probes.h"
#include "probe/registry/probe_cache.h"
#include "probe/registry/probe_events.h"
#include "session/probe/probe_plan.h"
#include "session/probe/probed_files.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine {
namespace {

// How long a removal waits, for all events together, for the kernel to close those of a recording that just ended.
constexpr auto kProbePatience = std::chrono::seconds(1);

bool name_matches(const std::string& pattern, const std::string& name) {
  const std::string whole = pattern.find(':') == std::string::npos ? "*:" + pattern : pattern;
  return ::fnmatch(whole.c_str(), name.c_str(), 0) == 0;
}

Result<std::vector<TraceProbe>> present_probes(const Root& root) {
  const auto events = ProbeEvents::open(root);
  if (!events) return std::unexpected(events.error());
  return events->list();
}

// Opened programs by path; null if a program cannot be opened.
using ProbedPrograms = std::map<std::string, std::unique_ptr<ProbeProgram>>;

// "work:6@/src/prog.c in /bin/prog", as precise as the program's debug information or symbols allow.
std::string place_in_program(const TraceProbe& probe, const DebugSearch& search, ProbedPrograms& programs) {
  auto& program = programs[probe.target];
  if (!program)
    if (auto opened = ProbeProgram::open(probe.target, search)) program = std::move(*opened);
  std::string place;
  if (program) {
    const auto address = program->file().virtual_address(probe.offset);
    if (const DebugInformation* known = program->information(); known != nullptr && address)
      place = place_text(*known, *address, probe.is_return);
    if (place.empty()) place = place_text(program->symbols(), probe.offset, probe.is_return);
  }
  if (place.empty()) place = fmt::format("{:#x}", probe.offset);
  return place + " in " + probe.target;
}

std::string place_in_kernel(const TraceProbe& probe) {
  std::string place = probe.symbol;
  if (probe.offset != 0) place += fmt::format("+{}", probe.offset);
  if (probe.is_return) place += "%return";
  if (!probe.target.empty()) place += " in " + probe.target;
  return place;
}

std::string fetched_arguments(const TraceProbe& probe) {
  std::string text;
  for (std::size_t i = 0; i < probe.arguments.size(); ++i)
    if (!is_unavailable_mask(probe.arguments[i]))
      text += fmt::format("{}{}", i == 0 ? " with " : " ", probe.arguments[i].name);
  return text;
}

Error no_such_event(const std::string& pattern, const std::vector<TraceProbe>& all, const ProbeHome& home) {
  std::vector<std::string> names;
  for (const TraceProbe& probe : all)
    names.push_back(pattern.find(':') == std::string::npos ? probe.event : probe.name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = nearest(pattern, views);
  return {ErrorKind::NotFound, fmt::format("\"{}\" does not hit any event.", pattern),
          near ? fmt::format("did you mean '{}'?", *near)
               : fmt::format("'{} probe -l' lists the probes", home.program_name)};
}

using ProbesByEvent = std::map<std::string, std::vector<TraceProbe>>;

ProbesByEvent probes_by_event(std::vector<TraceProbe> probes) {
  ProbesByEvent places;
  for (TraceProbe& probe : probes) places[probe.name()].push_back(std::move(probe));
  return places;
}

// The probes of `from` at places without a probe in `others`.
std::vector<TraceProbe> only_in(const std::vector<TraceProbe>& from, const std::vector<TraceProbe>& others) {
  std::vector<TraceProbe> result;
  std::ranges::copy_if(from, std::back_inserter(result), [&](const TraceProbe& probe) {
    return std::ranges::none_of(others, [&](const TraceProbe& other) {
      return other.place() == probe.place() && other.is_return == probe.is_return;
    });
  });
  return result;
}

// "main+4 (/bin/prog:0x1160)", according to the symbols of the current build.
std::string current_place(const TraceProbe& probe, const DebugSearch& search) {
  if (!probe.is_user()) return probe.place();
  const auto program = ProbeProgram::open(probe.target, search);
  const std::string name = program ? place_text((*program)->symbols(), probe.offset, probe.is_return) : std::string();
  return name.empty() ? probe.place() : fmt::format("{} ({})", name, probe.place());
}

}  // namespace

Result<> list_probes(const ProbeRequest& request, const std::string& pattern, const ProbeHome& home, const Root& root,
                     Sink& out) {
  auto all = present_probes(root);
  if (!all) return std::unexpected(std::move(all.error()));
  std::ranges::stable_sort(*all, {}, &TraceProbe::name);
  const DebugSearch search = debug_search(request, home);
  ProbedPrograms programs;
  for (const TraceProbe& probe : *all) {
    if (!pattern.empty() && !name_matches(pattern, probe.name())) continue;
    const std::string place = probe.is_user() ? place_in_program(probe, search, programs) : place_in_kernel(probe);
    out.format("  {:<20} (on {}{})\n", printable(probe.name()), printable(place), printable(fetched_arguments(probe)));
  }
  return {};
}

void list_cached_probes(const std::string& pattern, const ProbeHome& home, Sink& out) {
  for (const CachedProgram& program : read_probe_cache(home.build_ids)) {
    std::string lines;
    for (const CachedProbe& entry : program.entries) {
      const std::string name = entry.name();
      if (!pattern.empty() && !name_matches(pattern, name)) continue;
      lines += fmt::format("{}={}\n", printable(name), printable(entry.definition));
    }
    if (!lines.empty()) out.format("{} ({}):\n{}", printable(program.path), program.build_id, lines);
  }
}

Result<> remove_probes(const ProbeRequest& request, const ProbeHome& home, const Root& root,
                       const std::function<void(const ProbeRemoval&)>& tell) {
  const auto events = ProbeEvents::open(root);
  if (!events) return std::unexpected(events.error());
  const auto all = events->list();
  if (!all) return std::unexpected(all.error());
  const auto until = std::chrono::steady_clock::now() + kProbePatience;
  std::set<std::string> seen;  // an event may have several places and match several patterns
  for (const std::string& pattern : request.remove) {
    bool hit = false;
    for (const TraceProbe& probe : *all) {
      if (!name_matches(pattern, probe.name())) continue;
      hit = true;
      if (!seen.insert(probe.name()).second) continue;
      const auto done = request.dry_run ? Result<>() : events->remove_idle(probe, until);
      tell(done ? ProbeRemoval(probe.name()) : ProbeRemoval(std::unexpected(done.error())));
    }
    if (!hit) tell(std::unexpected(no_such_event(pattern, *all, home)));
  }
  return {};
}

std::vector<ProbeRemoval> remove_cached_probes(const ProbeRequest& request, const ProbeHome& home) {
  std::vector<CachedProgram> programs = read_probe_cache(home.build_ids);
  std::vector<ProbeRemoval> outcome;
  for (const std::string& pattern : request.remove) {
    bool hit = false;
    for (CachedProgram& program : programs) {
      const std::size_t gone = std::erase_if(program.entries, [&](const CachedProbe& entry) {
        const std::string name = entry.name();
        if (entry.is_marker || !name_matches(pattern, name)) return false;
        outcome.emplace_back(fmt::format("{}={}", name, entry.definition));
        return true;
      });
      if (gone == 0) continue;
      hit = true;
      if (request.dry_run) continue;
      if (auto written = write_cached_probes(program); !written) {
        outcome.push_back(std::unexpected(std::move(written.error())));
        return outcome;
      }
    }
    if (!hit)
      outcome.push_back(
          std::unexpected(Error{ErrorKind::NotFound, fmt::format("\"{}\" does not hit any cached event.", pattern)}));
  }
  return outcome;
}

Result<bool> verify_probes(const ProbeRequest& request, const std::vector<std::string>& definitions,
                           const ProbeHome& home, const Root& root, Sink& out, SessionListener& listener) {
  ProbePlan plan(request, home, listener);
  for (const std::string& definition : definitions) PEREGRINE_TRY(plan.plan(definition));
  auto all = present_probes(root);
  if (!all) return std::unexpected(std::move(all.error()));
  const ProbesByEvent present = probes_by_event(std::move(*all));
  const DebugSearch search = debug_search(request, home);
  bool good = true;
  for (const auto& [name, meant] : probes_by_event(plan.take_probes())) {
    const auto found = present.find(name);
    if (found == present.end()) {
      good = false;
      out.format("{}: not defined\n", name);
      continue;
    }
    const std::vector<TraceProbe> missing = only_in(meant, found->second), strange = only_in(found->second, meant);
    if (missing.empty() && strange.empty()) {
      out.format("{}: ok, {}\n", name, counted(meant.size(), "location"));
      continue;
    }
    good = false;
    out.format("{}: not at the location given by its definition\n", name);
    const auto shown = [&search](const TraceProbe& probe) { return printable(current_place(probe, search)); };
    for (const TraceProbe& probe : strange) out.format("  found at:      {}\n", shown(probe));
    for (const TraceProbe& probe : missing) out.format("  expected at:   {}\n", shown(probe));
  }
  return good;
}

}  // namespace peregrine
