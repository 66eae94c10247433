#include "session/script/script_summary.h"

#include <fmt/format.h>

#include <expected>
#include <memory>
#include <string_view>
#include <utility>

#include "analysis/field/event_pairs.h"
#include "analysis/field/field_tally.h"
#include "analysis/field/sample_field.h"
#include "analysis/field/sample_values.h"
#include "base/nearest.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/text/words.h"
#include "base/types.h"
#include "machine/machine.h"
#include "output/text/script/field_text.h"
#include "output/text/stat/value_text.h"
#include "pipeline/replay/replay.h"
#include "session/export/latency_picture.h"
#include "session/export/picture_request.h"
#include "session/field_report.h"
#include "session/recording/device_names.h"
#include "session/recording/losses.h"
#include "session/script/selecting_sink.h"

namespace peregrine {

namespace {

// The event of this name, with or without its subsystem.
Result<u32> find_paired_event(std::string_view word, const std::vector<std::string>& names) {
  for (u32 i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i];
    if (name == word || name.substr(name.find(':') + 1) == word) return i;
  }
  auto error = fail(ErrorKind::Usage, "--pair: this recording has no event '{}'", word);
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (const auto best = nearest(word, known)) error.error().hint = fmt::format("did you mean '{}'?", *best);
  return error;
}

struct SummaryQuestion {
  const SummaryRequest& request;
  SummarySamples& samples;
  PrintNames devices = {};
  std::unique_ptr<SelectingSink> selection = nullptr;  // null: all samples, or a FieldReport selects them

  Result<std::vector<SampleField>> fields(std::string_view words) const {
    return make_sample_fields(words, samples.reader.evlist(), samples.names, samples.formats, &devices);
  }
};

Result<FieldTally::Request> make_tally(const SummaryQuestion& question) {
  const SummaryRequest& wanted = question.request;
  FieldTally::Request request;
  auto keys = question.fields(wanted.count_by);
  if (!keys) return std::unexpected(std::move(keys.error()));
  request.keys = std::move(*keys);
  request.distribute = !wanted.histogram.empty();
  const std::string& value = request.distribute ? wanted.histogram : wanted.sum;
  if (value.empty()) return request;
  auto field =
      SampleField::make(value, question.samples.reader.evlist(), question.samples.names, question.samples.formats);
  if (!field) return std::unexpected(std::move(field.error()));
  request.value = std::move(*field);
  return request;
}

Result<EventPairs::Request> make_pairs(const SummaryQuestion& question) {
  const std::vector<std::string> events = split_words(question.request.pair);
  if (events.size() != 2 || question.request.pair_key.empty())
    return fail(ErrorKind::Usage,
                "--pair requires two events, and --key their common fields: --pair "
                "block_rq_issue,block_rq_complete --key dev,sector");
  EventPairs::Request request;
  const auto start = find_paired_event(events[0], question.samples.names),
             end = find_paired_event(events[1], question.samples.names);
  if (!start) return std::unexpected(start.error());
  if (!end) return std::unexpected(end.error());
  request.start = *start;
  request.end = *end;
  auto keys = question.fields(question.request.pair_key);
  if (!keys) return std::unexpected(std::move(keys.error()));
  for (const SampleField& key : *keys) {
    for (const u32 event : {*start, *end}) {
      if (!key.is_in(event))
        return std::unexpected(Error{
            ErrorKind::Usage, fmt::format("--key: {} has no field '{}'", question.samples.names[event], key.name()),
            "keys are fields that both events have under the same name; for the time from wake-up to running, "
            "use 'perf sched latency'"});
    }
  }
  request.keys = std::move(*keys);
  auto groups = question.fields(question.request.count_by);
  if (!groups) return std::unexpected(std::move(groups.error()));
  request.group_by = std::move(*groups);
  request.points = !question.request.heat_map.empty();
  return request;
}

Result<> read_samples(const SummaryQuestion& question, unsigned workers, ReplaySink& sink, SessionListener& listener) {
  Machine machine(std::move(question.samples.places));
  ReplayOptions options;
  options.filter = std::move(question.samples.filter);
  options.workers = workers;
  options.unwind = false;
  ReplaySink& chosen = selected(question.selection, sink, options);
  Replay replay(question.samples.reader, machine, std::move(options));
  auto outcome = replay.run(chosen);
  warn_about_losses(listener, replay.account(), question.samples.reader.account());
  return outcome;
}

void warn_about_fieldless(u64 count, SessionListener& listener) {
  if (count == 0) return;
  listener.warning(counted(count, "sample lacks these fields and was not counted",
                           "samples lack these fields and were not counted"));
}

Result<> print_event_pairs(const SummaryQuestion& question, Sink& out, SessionListener& listener) {
  auto request = make_pairs(question);
  if (!request) return std::unexpected(std::move(request.error()));
  const std::vector<std::string>& names = question.samples.names;
  const PairTitles titles{names[request->start], names[request->end], question.request.pair_key,
                          question.request.count_by};
  EventPairs pairs(std::move(*request));
  // Pairs depend on the order of samples, so one worker reads them all.
  auto outcome = read_samples(question, 1, pairs, listener);
  print_pairs(pairs, titles, out);
  if (!question.request.heat_map.empty())
    PEREGRINE_TRY(write_latency_picture(question.request.heat_map, pairs.points(),
                                        {.title = fmt::format("From {} to {}", titles.start, titles.end),
                                         .subtitle = "matched by " + question.request.pair_key},
                                        out, listener));
  warn_about_fieldless(pairs.keyless(), listener);
  return outcome;
}

Result<> print_field_tally(const SummaryQuestion& question, Sink& out, SessionListener& listener) {
  auto request = make_tally(question);
  if (!request) return std::unexpected(std::move(request.error()));
  const SummaryRequest& wanted = question.request;
  const bool distribute = request->distribute;
  const TallyTitles titles{wanted.count_by, request->value ? request->value->name() : std::string()};
  FieldTally tally(std::move(*request));
  auto outcome = read_samples(question, 0, tally, listener);
  const auto rows = tally.rows();
  if (!distribute || !wanted.count_by.empty()) print_tally(rows, titles, out);
  if (distribute) print_value_text(tally.distribution(titles.value), out);
  const bool of_one_event = fmt::format("{},{},{}", wanted.count_by, wanted.sum, wanted.histogram).contains('.');
  if (!of_one_event) warn_about_fieldless(tally.passed_over(), listener);
  return outcome;
}

// Lines of a template, or a table of aggregates.
class FieldReportSink : public ReplaySink {
 public:
  FieldReportSink(FieldReport& report, SampleValues values, Sink& out)
      : report_(report), values_(std::move(values)), out_(out) {}

  void sample(const ReplaySample& sample, Resolver& resolver, unsigned) override {
    values_.point_at(sample, resolver);
    if (!report_.selects(values_)) return;
    if (report_.has_table()) return report_.add(values_, sample.sample.time, out_);
    line_.clear();
    report_.append_line(line_, values_);
    out_.append(line_);
  }
  bool end_batch() override { return !report_.ended() && out_.flush().has_value(); }

 private:
  FieldReport& report_;
  SampleValues values_;
  Sink& out_;
  std::string line_;
};

// Errors (Usage): options that make other summaries.
Result<> check_report(const SummaryRequest& request) {
  const bool other = !request.count_by.empty() || !request.sum.empty() || !request.histogram.empty() ||
                     !request.pair.empty() || !request.heat_map.empty();
  if (!other) return {};
  return fail(
      ErrorKind::Usage,
      "--agg, --interval and --format '{{FIELD}}' cannot be combined with --count-by, --sum, --hist and --pair: "
      "write --agg 'sum(FIELD), hist(FIELD) by FIELD'");
}

Result<> print_field_report(const SummaryQuestion& question, Sink& out, SessionListener& listener) {
  PEREGRINE_TRY(check_report(question.request));
  const SummarySamples& samples = question.samples;
  auto report = FieldReport::make(question.request.report,
                                  SampleValues::source(samples.reader.evlist(), samples.names, samples.formats));
  if (!report) return std::unexpected(std::move(report.error()));
  auto values = values_for(*report, samples.reader.evlist(), samples.names, samples.formats, question.devices);
  if (!values) return std::unexpected(std::move(values.error()));
  FieldReportSink sink(*report, std::move(*values), out);
  auto outcome = read_samples(question, 1, sink, listener);
  report->finish(out);
  return outcome;
}

}  // namespace

Result<> print_summary(const SummaryRequest& request, SummarySamples samples, Sink& out, SessionListener& listener) {
  PEREGRINE_TRY(check_picture_file("--heatmap", request.heat_map, ".svg"));
  if (!request.heat_map.empty() && request.pair.empty())
    return fail(ErrorKind::Usage, "--heatmap requires --pair with two events");
  SummaryQuestion question{request, samples, recorded_device_names(samples.formats, samples.reader, Root())};
  if (request.report.prints()) return print_field_report(question, out, listener);
  auto selection = SelectingSink::make(request.report, samples.reader);
  if (!selection) return std::unexpected(std::move(selection.error()));
  question.selection = std::move(*selection);
  return request.pair.empty() ? print_field_tally(question, out, listener) : print_event_pairs(question, out, listener);
}

}  // namespace peregrine
