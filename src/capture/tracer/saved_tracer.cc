#include "capture/tracer/saved_tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/text/bracketed.h"
#include "base/text/trim.h"
#include "sys/root.h"

namespace peregrine {
namespace {

constexpr auto kLists =
    std::to_array<std::string_view>({"set_ftrace_filter", "set_ftrace_notrace", "set_graph_function",
                                     "set_graph_notrace", "set_ftrace_pid", "set_event_pid"});

constexpr auto kPidLists = std::to_array<std::string_view>({"set_ftrace_pid", "set_event_pid"});
// The last line of a complete text: if it is missing, the writer was killed.
constexpr std::string_view kEnd = "end";

// Splits the first line of `text` into its first word and the rest, and removes the line.
std::pair<std::string_view, std::string_view> next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  const std::size_t blank = line.find(' ');
  return {line.substr(0, blank), blank == std::string_view::npos ? "" : line.substr(blank + 1)};
}

// Returns the current value: "[global] mono" → "global", "1408 (expanded: 7)" → "1408".
std::string chosen(std::string_view text) {
  text = trim(text);
  if (const std::string_view value = bracketed(text); !value.empty()) return std::string(value);
  return std::string(text.substr(0, text.find_first_of(" \n")));
}

}  // namespace

std::string SavedTracer::format() const {
  std::string text = fmt::format("folder {}\ntracer {}\nrunning {}\n", folder_.path(), tracer_, running_);
  for (const Knob& knob : knobs_) {
    text += fmt::format("{} {}\n", knob.is_list ? "list" : "file", knob.file);
    if (!knob.is_list) text += fmt::format("value {}\n", knob.value);
    for (const std::string& item : knob.items) text += fmt::format("item {}\n", item);
  }
  return text.append(kEnd).append("\n");
}

std::optional<SavedTracer> SavedTracer::parse(const Root& root, std::string_view text) {
  SavedTracer saved(TraceFolder(root, ""));
  while (!text.empty()) {
    const auto [word, rest] = next_line(text);
    const bool has_knob = !saved.knobs_.empty();
    if (word == kEnd) return saved;
    if (word == "folder")
      saved.folder_ = TraceFolder(root, std::string(rest));
    else if (word == "tracer")
      saved.tracer_ = rest;
    else if (word == "running")
      saved.running_ = rest;
    else if (word == "list" || word == "file")
      saved.knobs_.push_back({.file = std::string(rest), .value = {}, .items = {}, .is_list = word == "list"});
    else if (word == "value" && has_knob)
      saved.knobs_.back().value = rest;
    else if (word == "item" && has_knob)
      saved.knobs_.back().items.emplace_back(rest);
    else
      return std::nullopt;
  }
  return std::nullopt;
}

SavedTracer SavedTracer::take_again() const {
  std::vector<std::string> files;
  for (const Knob& knob : knobs_) files.push_back(knob.file);
  return take(folder_, files);
}

std::vector<std::string> SavedTracer::differences(const SavedTracer& other) const {
  std::vector<std::string> files;
  if (tracer_ != other.tracer_) files.emplace_back("current_tracer");
  for (const Knob& knob : knobs_) {
    const bool pids = std::ranges::find(kPidLists, knob.file) != kPidLists.end();
    if (!pids && std::ranges::find(other.knobs_, knob) == other.knobs_.end()) files.push_back(knob.file);
  }
  return files;
}

SavedTracer SavedTracer::take(const TraceFolder& folder, const std::vector<std::string>& files) {
  SavedTracer saved(folder);
  if (const auto tracer = folder.read("current_tracer")) saved.tracer_ = chosen(*tracer);
  if (const auto running = folder.read("tracing_on")) saved.running_ = chosen(*running);
  for (const std::string& file : files) {
    const auto text = folder.read(file);
    if (!text) continue;
    Knob knob{.file = file, .is_list = std::ranges::find(kLists, file) != kLists.end()};
    if (knob.is_list) {
      // Entries with a ':' are commands ("schedule:traceoff"). Truncating the file does not remove them, so they are
      // not saved.
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
  constexpr std::size_t kMostBytes = 4000;  // per write
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
