// The JSON of `list -j`: an array of objects with linux-perf's members (Unit, Topic, EventName, EventAlias, EventType,
// BriefDescription, PublicDescription, Encoding, Deprecated; MetricName, MetricGroup, MetricExpr …).
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "event/kind/catalogue.h"
#include "output/sink.h"

namespace peregrine {

class EventListJson {
 public:
  explicit EventListJson(Sink& out) : out_(out) {}

  void begin() { out_.append('['); }
  void print(const CatalogueEntry& entry);
  // Omits members without a value.
  void object(std::span<const std::pair<std::string_view, std::string>> members);
  void end() { out_.append("\n]\n"); }

 private:
  Sink& out_;
  bool first_ = true;
};

}  // namespace peregrine
