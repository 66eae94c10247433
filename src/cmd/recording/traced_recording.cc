#include "cmd/recording/traced_recording.h"

#include <algorithm>

#include "base/number/number_list.h"
#include "cmd/command_table.h"
#include "pipeline/replay/replay.h"
#include "sys/kernel/tracefs.h"

namespace peregrine::cmd {

u32 TracedRecording::cpus() const {
  const auto& counted = reader->header().features.cpus;
  const u32 cpus = counted ? std::max(counted->available, counted->online) : 0;
  return cpus <= kMostColumns ? cpus : 0;
}

std::optional<TracedRecording> open_traced(const TracedInput& input, const SymbolOptions& symbols, Invocation& call) {
  auto reader = open_recording(input.path, input.force);
  if (!reader) {
    say_open_error(call, input.path, reader.error());
    return std::nullopt;
  }
  TracedRecording recording;
  recording.reader = std::make_unique<OpenedRecording>(std::move(*reader));
  recording.machine = std::make_unique<Machine>(symbol_places(symbols, call, *recording.reader));
  return recording;
}

Result<> replay_in_order(TracedRecording& recording, ReplaySink& sink, std::bitset<128> shown, Invocation& call,
                         SampleFilter filter, bool stitch_branches) {
  ReplayOptions options;
  options.stitch_branches = stitch_branches;
  options.workers = 1;
  options.shown = shown;
  options.filter = std::move(filter);
  Replay replay(*recording.reader, *recording.machine, std::move(options));
  const Result<> outcome = replay.run(sink);
  warn_about_losses(call, replay.account(), recording.reader->account());
  return outcome;
}

Result<> replay_traced(TracedRecording& recording, TracepointSink& sink, Invocation& call, SampleFilter filter) {
  PEREGRINE_TRY(replay_in_order(recording, sink, sink.records(), call, std::move(filter)));
  return sink.outcome();
}

RecordableTracepoints::RecordableTracepoints(std::string_view system) : system_(system) {
  auto tracefs = Tracefs::find(Root());
  if (tracefs)
    names_ = tracefs->events(system);
  else if (tracefs.error().kind == ErrorKind::Denied)
    denied_ = std::move(tracefs.error());
}

void RecordableTracepoints::add_events(std::initializer_list<std::string_view> wanted,
                                       std::vector<std::string>& words) const {
  for (const std::string_view name : wanted)
    if (has(name)) words.insert(words.end(), {"-e", fmt::format("{}:{}", system_, name)});
}

Result<int> RecordableTracepoints::record(std::vector<std::string> arguments, Invocation& call) const {
  auto done = run_other(kRecord, std::move(arguments), call);
  if (!done && denied_ && done.error().message.starts_with("event syntax error")) return std::unexpected(*denied_);
  return done;
}

Result<int> dump_traced(const TracedInput& input, Invocation& call) {
  std::vector<std::string> words{"-D"};
  if (!input.path.empty()) words.push_back("--input=" + input.path);
  if (input.force) words.emplace_back("--force");
  return run_other(kScript, std::move(words), call);
}

Result<std::vector<u32>> numbers_of(const std::string& text, std::string_view option, u32 highest) {
  auto numbers = parse_number_list(text, highest);
  if (!numbers) return fail(ErrorKind::Usage, "{}: {}", option, numbers.error().message);
  return numbers;
}

}  // namespace peregrine::cmd
