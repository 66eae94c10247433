// The text of `list`: a line per event with its kind; events that are described under headings, as linux-perf prints
// them.
#pragma once
#include <span>

#include "event/field/trace_format.h"
#include "event/kind/catalogue.h"
#include "output/sink.h"

namespace peregrine {

struct EventListStyle {
  bool describe = true;           // -d
  bool long_description = false;  // -v
  bool details = false;           // --details
};

// Prints lists of entries one after the other; a heading is printed where the topic changes.
class EventListText {
 public:
  EventListText(const EventListStyle& style, Sink& out) : style_(style), out_(out) {}

  void print(std::span<const CatalogueEntry> entries);
  // A heading, and a name with what it means, for what is no event: metrics and their groups.
  void heading(std::string_view text);
  void described(std::string_view name, std::string_view description, std::string_view formula);
  // The fields of a tracepoint: type and name, and by which operators a filter may compare them; and its print format.
  void format(const TraceFormat& format);

 private:
  void print(const CatalogueEntry& entry);
  void wrapped(std::string_view text);

  const EventListStyle& style_;
  Sink& out_;
  std::string topic_;
};

}  // namespace peregrine
