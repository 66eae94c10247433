#include "cmd/export/profile_export.h"

#include <algorithm>

#include "analysis/profile/call_costs.h"
#include "analysis/profile/profile.h"
#include "cli/frame/version.h"
#include "output/profile/callgrind.h"
#include "output/profile/chrome.h"
#include "output/profile/firefox.h"
#include "output/profile/folded.h"
#include "output/profile/pprof.h"
#include "output/profile/speedscope.h"
#include "session/event_names.h"

namespace peregrine::cmd {

namespace {

bool has_lines(const FormatOptions& format) { return format.name == "pprof" || format.name == "callgrind"; }

// Of tracepoints.
bool shows_fields(const FormatOptions& format, const data::Evlist& evlist) {
  return format.name == "chrome" && std::ranges::any_of(evlist, [](const data::Event& event) {
           return event.attr.type == static_cast<u32>(abi::EventType::Tracepoint);
         });
}

// The event that a format of one event is about; others with samples are said.
Result<u32> choose_event(const FormatOptions& format, const Profile& profile, Invocation& call) {
  const auto sampled = [](const ProfileEvent& event) { return event.samples != 0; };
  std::string names;
  for (const ProfileEvent& event : profile.events)
    if (sampled(event)) names += fmt::format("{}{}", names.empty() ? "" : ", ", event.name);
  if (!format.event.empty()) {
    const auto found = std::ranges::find(profile.events, format.event, &ProfileEvent::name);
    if (found != profile.events.end()) return static_cast<u32>(found - profile.events.begin());
    return std::unexpected(
        Error{ErrorKind::NotFound, fmt::format("there is no event '{}' here", format.event)}.with_hint(
            fmt::format("samples are there of: {}", names)));
  }
  const u32 first = first_sampled_event(profile);
  if (std::ranges::count_if(profile.events, sampled) > 1)
    call.messages.note(fmt::format("these are the samples of {}", profile.events[first].name),
                       fmt::format("--format {},event=NAME chooses from {}", format.name, names));
  return first;
}

std::string command_line(const data::Reader& reader) {
  std::string line;
  if (const auto& words = reader.header().features.cmdline)
    for (const std::string& word : *words) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

bool has_times(const data::Evlist& evlist) {
  return std::ranges::all_of(evlist,
                             [](const data::Event& event) { return event.attr.samples(abi::sample_bit::Time); });
}

Result<> check_times(const FormatOptions& format, const data::Evlist& evlist) {
  if (!format.is_timed() || has_times(evlist)) return {};
  return std::unexpected(Error{ErrorKind::Unsupported, "these samples have no times"}.with_hint("record with -T"));
}

void ask_for_profile(const FormatOptions& format, bool timed, const data::Evlist& evlist, TraceTexts& traces,
                     CollectRequest& request) {
  const bool traced = shows_fields(format, evlist);
  request.keys = profile_keys(timed, traced);
  if (timed) request.time_quantum = 1;
  request.traces = traced ? &traces : nullptr;
  request.by_process = true;
  request.by_cpumode = request.branches = request.by_address = false;
  request.branch_lines = request.branch_addresses = request.chain_offsets = false;
  request.leaf_chains = true;
  request.by_leaf = false;
  if (format.name == "folded" && !format.fold.addresses) request.unknown_frames = UnknownFrames::ByDso;
  request.leaf_lines = request.chain_lines = has_lines(format);
}

Result<int> write_profile(const FormatOptions& format, const CollectedProfile& collected, Invocation& call) {
  const std::vector<std::string> names = event_names(collected.reader);
  const bool traced = shows_fields(format, collected.reader.evlist());
  Profile profile = make_profile(collected.hists, collected.machine, &collected.sources,
                                 {.keys = profile_keys(collected.timed, traced),
                                  .timed = collected.timed,
                                  .traces = traced ? &collected.traces : nullptr,
                                  .event_names = names,
                                  .evlist = &collected.reader.evlist()});
  if (profile.samples.empty()) return fail(ErrorKind::NotFound, "there are no samples to write");
  profile.command = command_line(collected.reader);
  profile.creator = fmt::format("peregrine {}", kVersion);
  if (format.name == "folded") {
    auto event = choose_event(format, profile, call);
    if (!event) return std::unexpected(std::move(event.error()));
    FoldRequest request = format.fold;
    request.event = *event;
    print_folded(call.out, fold(profile, request), format.by_count);
  } else if (format.name == "speedscope") {
    print_speedscope(call.out, profile, format.by_count);
  } else if (format.name == "pprof") {
    if (call.out_is_terminal)
      return std::unexpected(Error{ErrorKind::Usage, "pprof's format is bytes, not text for a terminal"}.with_hint(
          "--format pprof -o profile.pb.gz"));
    print_pprof(call.out, profile);
  } else if (format.name == "callgrind") {
    print_callgrind(call.out, profile, call_costs(profile));
  } else if (format.name == "firefox") {
    print_firefox_profile(call.out, profile, format.by_count);
  } else {
    print_chrome_trace(call.out, profile);
  }
  return 0;
}

}  // namespace peregrine::cmd
