#include "session/event_names.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "abi/attr.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/header/evlist.h"
#include "event/field/trace_format.h"
#include "event/kind/name.h"
#include "event/tracepoint/tracing_data.h"
#include "output/text/format/printable.h"

namespace peregrine {

std::vector<std::string> event_names(const data::Evlist& evlist) {
  std::vector<std::string> names;
  for (const data::Event& event : evlist) {
    names.push_back(event.name.empty() ? event_name(event.attr) : printable(event.name));
  }
  return names;
}

std::vector<std::string> event_names(const data::Reader& reader) {
  const data::Evlist& evlist = reader.evlist();
  std::vector<std::string> names = event_names(evlist);
  std::optional<TracingData> tracing;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!evlist[i].name.empty() || evlist[i].attr.type != static_cast<u32>(abi::EventType::Tracepoint)) continue;
    if (!tracing) {
      tracing.emplace();
      if (auto bytes = reader.read_feature(static_cast<u32>(data::FeatureId::TracingData))) {
        if (auto decoded = decode_tracing_data(*bytes)) tracing = std::move(*decoded);
      }
    }
    if (const TraceFormat* format = tracing->find(static_cast<u32>(evlist[i].attr.config))) {
      names[i] = printable(fmt::format("{}:{}", format->system, format->name));
    }
  }
  return names;
}

}  // namespace peregrine
