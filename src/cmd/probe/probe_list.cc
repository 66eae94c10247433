// probe, what there is: lists and removes probes, those of the kernel and those kept in the build-id cache.
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/nearest.h"
#include "cmd/probe/probe_options.h"
#include "probe/argument/argument_gaps.h"
#include "probe/point/place_text.h"
#include "probe/registry/probe_cache.h"
#include "probe/registry/probe_events.h"

namespace peregrine::cmd {
namespace {

// How long `-d` waits in all for events that a recording has only just left.
constexpr auto kProbePatience = std::chrono::seconds(1);

bool name_matches(const std::string& pattern, const std::string& name) {
  const std::string whole = pattern.find(':') == std::string::npos ? "*:" + pattern : pattern;
  return ::fnmatch(whole.c_str(), name.c_str(), 0) == 0;
}

}  // namespace

Result<int> remove_probes(const ProbeRequest& request, Invocation& call) {
  const auto events = ProbeEvents::open(Root());
  if (!events) return std::unexpected(events.error());
  const auto all = events->list();
  if (!all) return std::unexpected(all.error());
  const auto until = std::chrono::steady_clock::now() + kProbePatience;
  int code = 0;
  std::set<std::string> removed;
  for (const std::string& pattern : request.remove) {
    bool hit = false;
    for (const TraceProbe& probe : *all) {
      if (!name_matches(pattern, probe.name())) continue;
      hit = true;
      if (!removed.insert(probe.name()).second) continue;
      if (!request.dry_run)
        if (auto done = events->remove_idle(probe, until); !done) {
          code = give_up_probe(done.error(), call);
          continue;
        }
      if (!request.quiet) call.messages.verbatim(fmt::format("Removed event: {}\n", probe.name()));
    }
    if (hit) continue;
    std::vector<std::string> names;
    for (const TraceProbe& probe : *all)
      names.push_back(pattern.find(':') == std::string::npos ? probe.event : probe.name());
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto near = nearest(pattern, views);
    code = give_up_probe({ErrorKind::NotFound, fmt::format("\"{}\" does not hit any event.", pattern),
                          near ? fmt::format("did you mean {}?", *near)
                               : fmt::format("'{} probe -l' shows what there is", call.messages.program())},
                         call);
  }
  return code;
}

Result<int> list_probes(const ProbeRequest& request, Invocation& call) {
  const auto events = ProbeEvents::open(Root());
  if (!events) return std::unexpected(events.error());
  auto all = events->list();
  if (!all) return std::unexpected(all.error());
  std::ranges::stable_sort(*all, {}, &TraceProbe::name);
  std::string pattern = request.list.value_or("");
  if (pattern.empty() && !call.words.empty()) pattern = call.words.front();
  std::map<std::string, std::unique_ptr<ProbeProgram>> programs;
  for (const TraceProbe& probe : *all) {
    if (!pattern.empty() && !name_matches(pattern, probe.name())) continue;
    std::string place;
    if (probe.is_user()) {
      auto& program = programs[probe.target];
      if (!program)
        if (auto opened = ProbeProgram::open(probe.target, debug_search(request, probe_home(call))))
          program = std::move(*opened);
      if (program) {
        const auto address = program->file().virtual_address(probe.offset);
        if (const DebugInformation* known = program->information(); known != nullptr && address)
          place = place_text(*known, *address, probe.is_return);
        if (place.empty()) place = place_text(program->symbols(), probe.offset, probe.is_return);
      }
      if (place.empty()) place = fmt::format("{:#x}", probe.offset);
      place += " in " + probe.target;
    } else {
      place = probe.symbol;
      if (probe.offset != 0) place += fmt::format("+{}", probe.offset);
      if (probe.is_return) place += "%return";
      if (!probe.target.empty()) place += " in " + probe.target;
    }
    for (std::size_t i = 0; i < probe.arguments.size(); ++i)
      if (!is_unavailable_mask(probe.arguments[i]))
        place += fmt::format("{}{}", i == 0 ? " with " : " ", probe.arguments[i].name);
    call.out.format("  {:<20} (on {})\n", probe.name(), place);
  }
  return 0;
}

Result<int> list_cached_probes(const std::string& pattern, Invocation& call) {
  for (const CachedProgram& program : read_probe_cache(call.config.buildid_directory())) {
    std::string lines;
    for (const CachedProbe& entry : program.entries) {
      const std::string name = entry.group + ':' + entry.event;
      if (!pattern.empty() && !name_matches(pattern, name)) continue;
      lines += fmt::format("{}={}\n", name, entry.definition);
    }
    if (!lines.empty()) call.out.format("{} ({}):\n{}", program.path, program.build_id, lines);
  }
  return 0;
}

Result<int> remove_cached_probes(const ProbeRequest& request, Invocation& call) {
  int code = 0;
  std::vector<CachedProgram> programs = read_probe_cache(call.config.buildid_directory());
  for (const std::string& pattern : request.remove) {
    bool hit = false;
    for (CachedProgram& program : programs) {
      const std::size_t gone = std::erase_if(program.entries, [&](const CachedProbe& entry) {
        const std::string name = entry.group + ':' + entry.event;
        if (entry.is_marker || !name_matches(pattern, name)) return false;
        call.messages.verbatim(fmt::format("Removed cached event: {}={}\n", name, entry.definition));
        return true;
      });
      if (gone == 0) continue;
      hit = true;
      if (!request.dry_run) PEREGRINE_TRY(write_cached_probes(program));
    }
    if (!hit)
      code = give_up_probe({ErrorKind::NotFound, fmt::format("\"{}\" does not hit any cached event.", pattern)}, call);
  }
  return code;
}

}  // namespace peregrine::cmd
