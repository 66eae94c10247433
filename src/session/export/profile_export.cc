#include "session/export/profile_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "analysis/hist/key/trace_texts.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/profile/butterfly.h"
#include "analysis/profile/call_costs.h"
#include "analysis/profile/folded_stacks.h"
#include "analysis/profile/profile.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "output/profile/butterfly_text.h"
#include "output/profile/callgrind.h"
#include "output/profile/chrome.h"
#include "output/profile/firefox.h"
#include "output/profile/folded.h"
#include "output/profile/gmon.h"
#include "output/profile/pprof.h"
#include "output/profile/speedscope.h"
#include "output/text/format/printable.h"
#include "session/event_names.h"
#include "session/export/recorded_facts.h"

namespace peregrine {

namespace {

bool has_lines(const ProfileFormat& format) { return format.name == "pprof" || format.name == "callgrind"; }

// Whether the format shows tracepoint fields, and the recording has any.
bool shows_fields(const ProfileFormat& format, const data::Evlist& evlist) {
  return format.name == "chrome" && std::ranges::any_of(evlist, [](const data::Event& event) {
           return event.attr.type == static_cast<u32>(abi::EventType::Tracepoint);
         });
}

// The event for a format that shows a single one. Notes that other events have samples too, unless the user chose one.
Result<u32> choose_event(const ProfileFormat& format, const Profile& profile, SessionListener& listener) {
  const auto sampled = [](const ProfileEvent& event) { return event.samples != 0; };
  std::string names;
  for (const ProfileEvent& event : profile.events)
    if (sampled(event)) names += fmt::format("{}{}", names.empty() ? "" : ", ", event.name);
  if (!format.event.empty()) {
    const auto found = std::ranges::find(profile.events, format.event, &ProfileEvent::name);
    if (found != profile.events.end()) return static_cast<u32>(found - profile.events.begin());
    return std::unexpected(
        Error{ErrorKind::NotFound, fmt::format("no event '{}' in this recording", format.event)}.with_hint(
            fmt::format("events with samples: {}", names)));
  }
  const u32 first = first_sampled_event(profile);
  if (std::ranges::count_if(profile.events, sampled) > 1)
    listener.note(fmt::format("showing only samples of {}", profile.events[first].name),
                  fmt::format("--format {},event=NAME chooses another: {}", format.name, names));
  return first;
}

}  // namespace

bool has_times(const data::Evlist& evlist) {
  return std::ranges::all_of(evlist,
                             [](const data::Event& event) { return event.attr.samples(abi::sample_bit::Time); });
}

Result<> check_times(const ProfileFormat& format, const data::Evlist& evlist) {
  if (!format.is_timed() || has_times(evlist)) return {};
  return std::unexpected(Error{ErrorKind::Unsupported, "samples have no timestamps"}.with_hint("record with -T"));
}

void request_profile(const ProfileFormat& format, bool timed, const data::Evlist& evlist, TraceTexts& traces,
                     CollectRequest& request) {
  const bool traced = shows_fields(format, evlist);
  request.keys = profile_keys(timed, traced);
  if (timed) request.time_quantum = 1;
  request.appends = request.appends_groups = timed && !request.histories;  // make_profile() joins equal ones
  request.traces = traced ? &traces : nullptr;
  request.tail = GroupTail::Process;
  request.branches = request.by_address = false;
  request.branch_lines = request.branch_addresses = request.chain_offsets = false;
  request.leaf_chains = true;
  request.by_leaf = false;
  if (format.name == "folded" && !format.fold.addresses) request.unknown_frames = UnknownFrames::ByDso;
  request.leaf_lines = request.chain_lines = has_lines(format);
}

Error no_samples_error(std::string_view filters) {
  return {ErrorKind::NotFound,
          filters.empty() ? std::string("no samples to write") : fmt::format("no samples match {}", filters)};
}

namespace {

Result<> write_butterfly(const ProfileFormat& format, const Profile& profile, Sink& out, SessionListener& listener) {
  const auto event = choose_event(format, profile, listener);
  if (!event) return std::unexpected(event.error());
  print_butterfly(out, profile, call_butterfly(profile, *event, format.by_count),
                  {.event = *event, .by_count = format.by_count, .least_percent = format.least_percent});
  return {};
}

Result<> write_gmon(const ProfileFormat& format, const Profile& profile, Sink& out, SessionListener& listener) {
  const auto event = choose_event(format, profile, listener);
  if (!event) return std::unexpected(event.error());
  const auto program = most_sampled_program(profile, *event);
  if (!program) return fail(ErrorKind::NotFound, "no samples in a program: gprof does not read those of the kernel");
  print_gmon(out, profile, *event, *program);
  const std::string& path = profile.dsos[*program].path;
  listener.note(fmt::format("wrote {} of {}; others are left out, because gprof reads one program",
                            counted(samples_in(profile, *event, *program), "sample"), printable(path)),
                fmt::format("read them with: gprof {} gmon.out", printable(path)));
  return {};
}

Result<> refuse_terminal(const ProfileFormat& format, const ProfileOutput& output, std::string_view file) {
  if (!output.to_terminal) return {};
  return std::unexpected(
      Error{ErrorKind::Usage, fmt::format("{} output is binary: it cannot be written to a terminal", format.name)}
          .with_hint(fmt::format("use --format {} -o {}", format.name, file)));
}

}  // namespace

Result<> write_profile(const ProfileFormat& format, const CollectedProfile& collected, const ProfileOutput& output,
                       SessionListener& listener) {
  const std::vector<std::string> names = event_names(collected.reader);
  const bool traced = shows_fields(format, collected.reader.evlist());
  Profile profile = make_profile(collected.hists, collected.machine, &collected.sources,
                                 {.keys = profile_keys(collected.timed, traced),
                                  .timed = collected.timed,
                                  .traces = traced ? &collected.traces : nullptr,
                                  .event_names = names,
                                  .evlist = &collected.reader.evlist()});
  if (profile.samples.empty()) return std::unexpected(no_samples_error(collected.filters));
  profile.command = recorded_command(collected.reader);
  profile.creator = output.creator;
  if (format.name == "folded") {
    auto event = choose_event(format, profile, listener);
    if (!event) return std::unexpected(std::move(event.error()));
    FoldRequest request = format.fold;
    request.event = *event;
    print_folded(output.out, fold(profile, request), format.by_count);
  } else if (format.name == "speedscope") {
    print_speedscope(output.out, profile, format.by_count);
  } else if (format.name == "pprof") {
    PEREGRINE_TRY(refuse_terminal(format, output, "profile.pb.gz"));
    print_pprof(output.out, profile);
  } else if (format.name == "gprof") {
    PEREGRINE_TRY(refuse_terminal(format, output, "gmon.out"));
    return write_gmon(format, profile, output.out, listener);
  } else if (format.name == "butterfly") {
    return write_butterfly(format, profile, output.out, listener);
  } else if (format.name == "callgrind") {
    print_callgrind(output.out, profile, call_costs(profile));
  } else if (format.name == "firefox") {
    print_firefox_profile(output.out, profile, format.by_count);
  } else {
    print_chrome_trace(output.out, profile);
  }
  return {};
}

}  // namespace peregrine
