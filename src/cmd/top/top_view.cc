#include "cmd/top/top_view.h"

#include "cli/frame/version.h"
#include "cmd/events/event_sources.h"
#include "cmd/record/record_settle.h"

namespace peregrine::cmd {

namespace {

constexpr std::chrono::milliseconds kTick{500};

// An event that only carries side-band.
bool is_dummy(const data::Event& event) {
  return event.attr.type == static_cast<u32>(abi::EventType::Software) &&
         event.attr.config == static_cast<u64>(abi::SoftwareEvent::Dummy);
}

RecordingOptions live_recording(const RecordCommandOptions& record, Target target, const Invocation& call) {
  RecordingOptions how;
  how.target = std::move(target);
  how.ring_bytes = record.ring_bytes;
  how.synthesis_threads = record.synthesis_threads;
  how.map_timeout_ms = record.map_timeout_ms;
  how.real_time_priority = record.real_time_priority;
  how.data_maps = record.config.addresses;
  how.namespaces = record.config.namespaces;
  how.cgroups = record.config.cgroups;
  how.build_ids = false;
  how.tick = kTick;
  how.live = true;
  how.command_line = call.argv;
  how.version = std::string(kSpeaks);
  return how;
}

// From the options to a session that samples, and a view of it without a plan.
Result<std::unique_ptr<TopView>> start_sampling(RecordCommandOptions& record, Invocation& call,
                                                std::unique_ptr<LiveSession>& session) {
  tell_problems(record.sources, call.messages);
  settle_target(record, call);
  const Root& root = record.sources.root();
  const PerfLimits limits = perf_limits(root);
  auto target = make_target(root, record.target);
  if (!target) return std::unexpected(std::move(target.error()));
  const std::size_t cpus = target->cpus.size();
  std::vector<std::string> warnings;
  PEREGRINE_TRY(settle_events(record, limits, *target, call, warnings));
  RecordingOptions how = live_recording(record, std::move(*target), call);
  auto started = LiveSession::start(root, std::move(how), std::move(record.events), record.sources);
  if (!started) return std::unexpected(std::move(started.error()));
  session = std::move(*started);
  auto reader = data::Reader::open_fd(session->take_data(), "what is being sampled");
  PEREGRINE_TRY(session->opened());
  if (!reader) return std::unexpected(std::move(reader.error()));
  warnings.insert(warnings.end(), session->warnings().begin(), session->warnings().end());
  for (const std::string& warning : warnings)
    call.messages.verbatim(warning.ends_with('\n') ? warning : warning + "\n");
  return std::make_unique<TopView>(TopView{.reader = OpenedRecording(std::move(*reader)), .cpus = cpus});
}

// What the options show of what is sampled.
Result<LiveProfileRequest> profile_request(const TopOptions& options, TopView& view, Invocation& call) {
  const ReportOptions& report = options.report;
  auto plan = make_plan(report, view.reader, view.profile->profile().fields());
  if (!plan) return std::unexpected(std::move(plan.error()));
  view.plan = std::move(*plan);
  std::erase_if(view.plan.tables, [&](const std::vector<u32>& events) { return is_dummy(view.evlist()[events[0]]); });
  auto collect = make_request(report, view.plan, view.reader);
  if (!collect) return std::unexpected(std::move(collect.error()));
  const auto event_switch = make_event_switch(report.switching, view.plan.names, call);
  if (!event_switch) return fail(ErrorKind::NotFound, "--switch-on, --switch-off: no such event is sampled");
  collect->event_switch = *event_switch;
  add_zoom_keys(*collect);
  auto replay = make_replay_options(report, view.plan, collect->keys, *event_switch, {});
  return LiveProfileRequest{.collect = std::move(*collect),
                            .replay = std::move(replay),
                            .places = symbol_places(report.symbols, call, view.reader),
                            .full_source_paths = report.full_source_path,
                            .long_names = report.verbose > 0,
                            .hide_kernel = options.hide_kernel,
                            .hide_user = options.hide_user,
                            .zero = options.zero};
}

}  // namespace

Result<std::unique_ptr<TopView>> open_top_view(TopOptions& options, Invocation& call) {
  std::unique_ptr<LiveSession> session;
  auto view = start_sampling(options.record, call, session);
  if (!view) return view;
  ReportOptions& report = options.report;
  report.symbols.parameters = report.verbose > 0;
  data::Reader& reader = (*view)->reader;
  (*view)->profile = std::make_unique<LiveProfile>(std::move(session), reader, report.raw_trace,
                                                   recorded_fields(reader, report.raw_trace));
  auto request = profile_request(options, **view, call);
  if (!request) return std::unexpected(std::move(request.error()));
  PEREGRINE_TRY((*view)->profile->start(std::move(*request)));
  return view;
}

}  // namespace peregrine::cmd
