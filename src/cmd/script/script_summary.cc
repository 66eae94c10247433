#include "cmd/script/script_summary.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/text/counted.h"
#include "cli/frame/text_file.h"
#include "machine/machine.h"
#include "output/svg/latency_heat_map.h"
#include "output/text/script/field_text.h"
#include "output/text/stat/value_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine::cmd {

namespace {

// The event of this name, with or without its subsystem.
Result<u32> find_event(std::string_view word, const std::vector<std::string>& names) {
  for (u32 i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i];
    if (name == word || name.substr(name.find(':') + 1) == word) return i;
  }
  auto error = fail(ErrorKind::Usage, "--pair: this recording has no event '{}'", word);
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (const auto best = nearest(word, known)) error.error().hint = fmt::format("did you mean {}?", *best);
  return error;
}

struct Question {
  const ScriptOptions& options;
  const TraceFormats& formats;
  OpenedRecording& reader;
  const std::vector<std::string>& names;

  Result<std::vector<SampleField>> fields(std::string_view words) const {
    return make_sample_fields(words, reader.evlist(), names, formats);
  }
};

Result<FieldTally::Request> make_tally(const Question& question) {
  const ScriptOptions& options = question.options;
  FieldTally::Request request;
  auto keys = question.fields(options.count_by);
  if (!keys) return std::unexpected(std::move(keys.error()));
  request.keys = std::move(*keys);
  request.distribute = !options.histogram.empty();
  const std::string& value = request.distribute ? options.histogram : options.sum;
  if (value.empty()) return request;
  auto field = SampleField::make(value, question.reader.evlist(), question.names, question.formats);
  if (!field) return std::unexpected(std::move(field.error()));
  request.value = std::move(*field);
  return request;
}

Result<EventPairs::Request> make_pairs(const Question& question) {
  const std::vector<std::string> events = split_words(question.options.pair);
  if (events.size() != 2 || question.options.pair_key.empty())
    return fail(ErrorKind::Usage,
                "--pair wants two events and --key the fields that they have in common: --pair "
                "block_rq_issue,block_rq_complete --key dev,sector");
  EventPairs::Request request;
  const auto start = find_event(events[0], question.names), end = find_event(events[1], question.names);
  if (!start) return std::unexpected(start.error());
  if (!end) return std::unexpected(end.error());
  request.start = *start;
  request.end = *end;
  auto keys = question.fields(question.options.pair_key);
  if (!keys) return std::unexpected(std::move(keys.error()));
  for (const SampleField& key : *keys) {
    for (const u32 event : {*start, *end}) {
      if (!key.is_in(event))
        return fail(ErrorKind::Usage, "--key: {} has no field '{}'", question.names[event], key.name());
    }
  }
  request.keys = std::move(*keys);
  auto groups = question.fields(question.options.count_by);
  if (!groups) return std::unexpected(std::move(groups.error()));
  request.group_by = std::move(*groups);
  request.points = !question.options.heat_map.empty();
  return request;
}

Result<> run(const Question& question, SampleFilter filter, unsigned workers, ReplaySink& sink, Invocation& call) {
  Machine machine(symbol_places(question.options.symbols, call, question.reader));
  ReplayOptions replay_options;
  replay_options.filter = std::move(filter);
  replay_options.workers = workers;
  replay_options.unwind = false;
  Replay replay(question.reader, machine, std::move(replay_options));
  auto outcome = replay.run(sink);
  warn_about_losses(call, replay.account(), question.reader.account());
  return outcome;
}

void say_passed_over(u64 count, Invocation& call) {
  if (count == 0) return;
  call.messages.warning(counted(count, "sample does not have these fields and was not counted",
                                "samples do not have these fields and were not counted"));
}

Result<> write_heat_map(const ScriptOptions& options, const EventPairs& pairs, const PairTitles& titles,
                        Invocation& call) {
  const HeatMapText text{.title = fmt::format("From {} to {}", titles.start, titles.end),
                         .subtitle = "matched by " + options.pair_key};
  PEREGRINE_TRY(write_whole_file(options.heat_map, call.out, [&](Sink& out) {
    print_latency_heat_map(out, make_latency_map(pairs.points()), text);
  }));
  call.messages.note(
      fmt::format("heat map of {} pairs written to {}", pairs.points().size(), shown_path(options.heat_map)));
  return {};
}

}  // namespace

bool asks_summary(const ScriptOptions& options) {
  return !options.count_by.empty() || !options.sum.empty() || !options.histogram.empty() || !options.pair.empty() ||
         !options.heat_map.empty();
}

Result<int> print_summary(ScriptOptions& options, const TraceFormats& formats, SampleFilter filter,
                          OpenedRecording& reader, const std::vector<std::string>& names, Invocation& call) {
  if (!options.heat_map.empty() && options.pair.empty())
    return fail(ErrorKind::Usage, "--heatmap draws pairs: name two events with --pair");
  const Question question{options, formats, reader, names};
  if (!options.pair.empty()) {
    auto request = make_pairs(question);
    if (!request) return std::unexpected(std::move(request.error()));
    const PairTitles titles{names[request->start], names[request->end], options.pair_key, options.count_by};
    EventPairs pairs(std::move(*request));
    const Result<> outcome = run(question, std::move(filter), 1, pairs, call);
    print_pairs(pairs, titles, call.out);
    if (!options.heat_map.empty()) PEREGRINE_TRY(write_heat_map(options, pairs, titles, call));
    say_passed_over(pairs.keyless(), call);
    if (!outcome) return std::unexpected(outcome.error());
    return 0;
  }
  auto request = make_tally(question);
  if (!request) return std::unexpected(std::move(request.error()));
  const bool distribute = request->distribute;
  const TallyTitles titles{options.count_by, request->value ? request->value->name() : std::string(),
                           request->value && request->value->is_signed()};
  FieldTally tally(std::move(*request));
  const Result<> outcome = run(question, std::move(filter), 0, tally, call);
  const auto rows = tally.rows();
  if (!distribute || !options.count_by.empty()) print_tally(rows, titles, call.out);
  if (distribute) print_value_text(tally.distribution(titles.value), call.out);
  const bool of_one_event = fmt::format("{},{},{}", options.count_by, options.sum, options.histogram).contains('.');
  if (!of_one_event) say_passed_over(tally.passed_over(), call);
  if (!outcome) return std::unexpected(outcome.error());
  return 0;
}

}  // namespace peregrine::cmd
