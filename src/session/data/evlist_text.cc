#include "session/data/evlist_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "base/types.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "event/attr_text.h"
#include "event/field/trace_format.h"
#include "event/tracepoint/tracing_data.h"
#include "output/text/format/printable.h"
#include "pipeline/replay/recorded_tracing.h"
#include "session/event_names.h"

namespace peregrine {

namespace {

bool is_traced_event(const data::Event& event) {
  return event.attr.type == static_cast<u32>(abi::EventType::Tracepoint);
}

class EvlistPrinter {
 public:
  EvlistPrinter(const EvlistTextRequest& request, const data::Reader& reader, Sink& out)
      : request_(request),
        evlist_(reader.evlist()),
        names_(event_names(reader.evlist())),
        tracing_(decode_tracing_data(recorded_tracing_data(reader)).value_or(TracingData{})),
        out_(out) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const data::Event& event = evlist_[i];
      if (!event.name.empty() || !is_traced_event(event)) continue;
      if (const auto* format = tracing_.find(static_cast<u32>(event.attr.config)))
        names_[i] = printable(format->system + ':' + format->name);
    }
  }

  void print(std::size_t index) {
    const data::Event& event = evlist_[index];
    if (request_.group) return print_group(index);
    out_.append(names_[index]);
    std::vector<std::string> details;
    if (request_.all_fields) {
      for (const auto& [name, value] : attr_fields(event.attr)) details.push_back(name + ": " + value);
    } else if (request_.frequency) {
      details.push_back(fmt::format("{}={}", event.attr.has(abi::attr_flag::Freq) ? "sample_freq" : "sample_period",
                                    event.attr.sample_period));
    }
    if (request_.trace_fields) details.push_back(trace_fields(event));
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
    if (!is_traced_event(event)) return "(not a tracepoint)";
    const TraceFormat* format = tracing_.find(static_cast<u32>(event.attr.config));
    if (format == nullptr || format->fields.empty()) return "(no trace field)";
    std::vector<std::string> fields;
    for (const auto& field : format->fields) fields.push_back(printable(field.name));
    return "trace_fields: " + joined(fields, ",");
  }

  static std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
    return fmt::format("{}", fmt::join(parts, separator));
  }

  const EvlistTextRequest& request_;
  const data::Evlist& evlist_;
  std::vector<std::string> names_;
  TracingData tracing_;  // empty if the recording has no formats, or damaged ones
  Sink& out_;
};

}  // namespace

Result<bool> print_evlist(const EvlistTextRequest& request, data::Reader& reader, Sink& out) {
  abi::RecordView record;
  for (bool more = reader.header().layout == data::Layout::Pipe; more;) {
    const auto read = reader.next(record);
    if (!read) return std::unexpected(read.error());
    more = *read;
  }
  EvlistPrinter printer(request, reader, out);
  for (std::size_t i = 0; i < reader.evlist().size(); ++i) printer.print(i);
  return std::ranges::any_of(reader.evlist(), is_traced_event);
}

}  // namespace peregrine
