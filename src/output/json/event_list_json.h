// The JSON of `list -j`: an array of objects with linux-perf's members (Unit, Topic, EventName, EventAlias, EventType,
// BriefDescription, PublicDescription, Encoding, Deprecated; MetricName, MetricGroup, MetricExpr …).
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "event/kind/catalogue.h"
#include "output/json/json_document.h"
#include "output/sink.h"

namespace peregrine {

class EventListJson {
 public:
  explicit EventListJson(Sink& out) : out_(out), json_(out) {}

  void begin() { json_.begin_array(); }
  void print(const CatalogueEntry& entry);
  // Omits members without a value.
  void object(std::span<const std::pair<std::string_view, std::string>> members);
  void end() {
    json_.line().end_array();
    out_.append('\n');
  }

 private:
  Sink& out_;
  JsonDocument json_;
};

}  // namespace peregrine
