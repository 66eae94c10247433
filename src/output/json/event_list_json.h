// The JSON of `list -j`: one array of objects with the members that linux-perf gives them (Unit, Topic, EventName,
// EventAlias, EventType, BriefDescription, PublicDescription, Encoding, Deprecated; MetricName, MetricGroup, MetricExpr
// …).
#pragma once
#include <span>
#include <utility>

#include "event/kind/catalogue.h"
#include "output/sink.h"

namespace peregrine {

class EventListJson {
 public:
  explicit EventListJson(Sink& out) : out_(out) {}

  void begin() { out_.append('['); }
  void print(const CatalogueEntry& entry);
  // Members without a value are left out.
  void object(std::span<const std::pair<std::string_view, std::string>> members);
  void end() { out_.append("\n]\n"); }

 private:
  Sink& out_;
  bool first_ = true;
};

}  // namespace peregrine
