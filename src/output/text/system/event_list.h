// The text of `list`: a line per event with its kind; described events are below headings, as in linux-perf.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "event/field/trace_format.h"
#include "event/kind/catalogue.h"
#include "output/sink.h"

namespace peregrine {

struct EventListStyle {
  bool describe = true;           // -d
  bool long_description = false;  // -v
  bool details = false;           // --details
};

// Prints lists of entries; adds a heading where the topic changes.
class EventListText {
 public:
  EventListText(const EventListStyle& style, Sink& out) : style_(style), out_(out) {}

  void print(std::span<const CatalogueEntry> entries);
  // For metrics and their groups: a heading, and a name with its description.
  void heading(std::string_view text);
  void described(std::string_view name, std::string_view description, std::string_view formula);
  // A tracepoint's fields: type, name, and the operators for filters; and its print format.
  void format(const TraceFormat& format);

 private:
  void print(const CatalogueEntry& entry);
  void wrapped(std::string_view text);

  const EventListStyle& style_;
  Sink& out_;
  std::string topic_;
};

}  // namespace peregrine
