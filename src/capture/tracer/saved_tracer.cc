#include "capture/tracer/saved_tracer.h"

#include <algorithm>
#include <array>

namespace peregrine {
namespace {

constexpr auto kLists =
    std::to_array<std::string_view>({"set_ftrace_filter", "set_ftrace_notrace", "set_graph_function",
                                     "set_graph_notrace", "set_ftrace_pid", "set_event_pid"});

// "[global] mono" holds the one in brackets; "1408 (expanded: 7)" the first word.
std::string chosen(std::string_view text) {
  text = trim(text);
  const std::size_t open = text.find('['), close = text.find(']');
  if (open != std::string_view::npos && close != std::string_view::npos && close > open)
    return std::string(text.substr(open + 1, close - open - 1));
  return std::string(text.substr(0, text.find_first_of(" \n")));
}

}  // namespace

SavedTracer SavedTracer::take(const TraceFolder& folder, const std::vector<std::string>& files) {
  SavedTracer saved(folder);
  if (const auto tracer = folder.read("current_tracer")) saved.tracer_ = chosen(*tracer);
  if (const auto running = folder.read("tracing_on")) saved.running_ = chosen(*running);
  for (const std::string& file : files) {
    const auto text = folder.read(file);
    if (!text) continue;
    Knob knob{.file = file, .is_list = std::ranges::find(kLists, file) != kLists.end()};
    if (knob.is_list) {
      // Entries with a ':' are commands ("schedule:traceoff"), which truncating does not remove.
      for (std::string& item : listed_items(*text))
        if (item.find(':') == std::string::npos) knob.items.push_back(std::move(item));
    } else {
      knob.value = chosen(*text);
    }
    saved.knobs_.push_back(std::move(knob));
  }
  return saved;
}

bool SavedTracer::put_back(const Knob& knob) const {
  if (!knob.is_list) return folder_.set(knob.file, knob.value).has_value();
  bool good = folder_.set(knob.file, "").has_value();
  constexpr std::size_t kMostBytes = 4000;  // of one write
  std::string batch;
  for (const std::string& item : knob.items) {
    if (batch.size() + item.size() > kMostBytes)
      good = folder_.add(knob.file, std::exchange(batch, {})).has_value() && good;
    batch += (batch.empty() ? "" : " ") + item;
  }
  if (!batch.empty()) good = folder_.add(knob.file, batch).has_value() && good;
  return good;
}

std::vector<std::string> SavedTracer::restore() const {
  std::vector<std::string> refused;
  const auto put = [&](const std::string& file, const std::string& value) {
    if (!value.empty() && !folder_.set(file, value)) refused.push_back(file);
  };
  put("tracing_on", "0");
  put("current_tracer", "nop");
  for (const Knob& knob : knobs_)
    if (!put_back(knob)) refused.push_back(knob.file);
  put("current_tracer", tracer_);
  put("tracing_on", running_);
  return refused;
}

}  // namespace peregrine
