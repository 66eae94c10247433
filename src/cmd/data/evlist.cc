// evlist: the events of a recording, and with -v every field of what was asked of the kernel, as linux-perf prints
// them.
#include <fmt/ranges.h>

#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "event/attr_text.h"
#include "event/tracepoint/tracing_data.h"
#include "output/text/format/printable.h"
#include "session/event_names.h"

namespace peregrine::cmd {

namespace {

struct EvlistOptions {
  std::string input;
  bool force = false;
  bool frequency = false;
  bool group = false;
  int verbose = 0;
  bool trace_fields = false;
};

constexpr Option kEvlistOptions[] = {
    {.name = "force",
     .letter = 'f',
     .help = "read the file regardless of its owner",
     .store = set<&EvlistOptions::force>},
    {.name = "freq",
     .letter = 'F',
     .help = "show the frequency or period of each event",
     .store = set<&EvlistOptions::frequency>},
    {.name = "group", .letter = 'g', .help = "show groups in braces", .store = set<&EvlistOptions::group>},
    {.name = "input",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "file",
     .help = "the recording to read (default: a pipe on stdin, else perf.data; -: stdin)",
     .store = set<&EvlistOptions::input>},
    {.name = "verbose",
     .letter = 'v',
     .help = "show all nonzero attribute fields of each event",
     .store = count<&EvlistOptions::verbose>},
    {.name = "trace-fields", .help = "show the fields of each tracepoint", .store = set<&EvlistOptions::trace_fields>},
};
constexpr std::string_view kEvlistUsage[] = {"[<options>]"};

bool is_tracepoint(const data::Event& event) { return event.attr.type == static_cast<u32>(abi::EventType::Tracepoint); }

// The formats that travel with the recording; empty when there are none or they cannot be understood.
TracingData tracing_data(const data::Reader& reader) {
  const auto& streamed = reader.header().features.tracing_data;
  if (streamed) return decode_tracing_data(*streamed).value_or(TracingData{});
  const auto bytes = reader.read_feature(static_cast<u32>(data::FeatureId::TracingData));
  return bytes ? decode_tracing_data(*bytes).value_or(TracingData{}) : TracingData{};
}

class EventPrinter {
 public:
  EventPrinter(const EvlistOptions& options, const data::Reader& reader, Sink& out)
      : options_(options),
        evlist_(reader.evlist()),
        names_(event_names(reader.evlist())),
        tracing_(tracing_data(reader)),
        out_(out) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const data::Event& event = evlist_[i];
      if (!event.name.empty() || !is_tracepoint(event)) continue;
      if (const auto* format = tracing_.find(static_cast<u32>(event.attr.config)))
        names_[i] = printable(format->system + ':' + format->name);
    }
  }

  void print(std::size_t index) {
    const data::Event& event = evlist_[index];
    if (options_.group) return print_group(index);
    out_.append(names_[index]);
    std::vector<std::string> details;
    if (options_.verbose > 0) {
      for (const auto& [name, value] : attr_fields(event.attr)) details.push_back(name + ": " + value);
    } else if (options_.frequency) {
      details.push_back(fmt::format("{}={}", event.attr.has(abi::attr_flag::Freq) ? "sample_freq" : "sample_period",
                                    event.attr.sample_period));
    }
    if (options_.trace_fields) details.push_back(trace_fields(event));
    if (!details.empty()) out_.append(": ").append(joined(details, ", "));
    out_.append('\n');
  }

 private:
  void print_group(std::size_t index) {
    const data::Event& event = evlist_[index];
    if (event.leader != index) return;
    if (event.members > 1) out_.append(printable(event.group_name)).append('{');
    for (std::size_t i = index; i < names_.size(); ++i) {
      if (evlist_[i].leader != index) continue;
      if (i != index) out_.append(',');
      out_.append(names_[i]);
    }
    out_.append(event.members > 1 ? "}\n" : "\n");
  }

  std::string trace_fields(const data::Event& event) const {
    if (!is_tracepoint(event)) return "(not a tracepoint)";
    const TraceFormat* format = tracing_.find(static_cast<u32>(event.attr.config));
    if (format == nullptr || format->fields.empty()) return "(no trace field)";
    std::vector<std::string> fields;
    for (const auto& field : format->fields) fields.push_back(printable(field.name));
    return "trace_fields: " + joined(fields, ",");
  }

  static std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
    return fmt::format("{}", fmt::join(parts, separator));
  }

  const EvlistOptions& options_;
  const data::Evlist& evlist_;
  std::vector<std::string> names_;
  TracingData tracing_;
  Sink& out_;
};

Result<int> evlist(EvlistOptions& options, Invocation& call) {
  if (options.group && (options.verbose > 0 || options.frequency))
    return fail(ErrorKind::Usage, "--group option is not compatible with other options");
  auto reader = open_recording(options.input, options.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  if (reader->header().layout == data::Layout::Pipe) {
    // A pipe names its events on the way.
    abi::RecordView record;
    for (;;) {
      const auto more = reader->next(record);
      if (!more) return std::unexpected(more.error());
      if (!*more) break;
    }
  }
  EventPrinter printer(options, *reader, call.out);
  bool has_tracepoint = false;
  for (std::size_t i = 0; i < reader->evlist().size(); ++i) {
    printer.print(i);
    has_tracepoint = has_tracepoint || is_tracepoint(reader->evlist()[i]);
  }
  if (has_tracepoint && !options.trace_fields)
    call.out.append("# Tip: use 'perf evlist --trace-fields' to show fields for tracepoint events\n");
  return 0;
}

constexpr std::string_view kEvlistExamples[] = {
    "perf evlist|the events of perf.data",
    "perf evlist -v|all nonzero attribute fields of each event",
    "perf evlist --trace-fields|the fields of each tracepoint",
};

}  // namespace

constinit const Command kEvlist{
    .name = "evlist",
    .summary = "Show the events of a recording",
    .usage = kEvlistUsage,
    .options = kEvlistOptions,
    .description =
        "Prints the events of a recording, in the order in which they were recorded. -v also shows the settings of "
        "each: sampling frequency, sampled fields, excluded privilege levels.",
    .examples = kEvlistExamples,
    .run = entry<EvlistOptions, confined<EvlistOptions, evlist>>};

}  // namespace peregrine::cmd
