#include "session/view/view_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <string_view>
#include <utility>

#include "analysis/timeline/timeline_collector.h"
#include "base/text/counted.h"
#include "output/html/timeline_page.h"
#include "output/text/format/grouped_number.h"
#include "output/text_file.h"
#include "pipeline/replay/filter.h"
#include "session/event_names.h"
#include "session/export/recorded_facts.h"
#include "session/recording/sample_choice.h"

namespace peregrine {

namespace {

// Passes everything on, and keeps the warnings for the page.
class WarningKeeper : public SessionListener {
 public:
  explicit WarningKeeper(SessionListener& listener) : listener_(listener) {}
  void warning(std::string_view text, std::string_view hint) override {
    listener_.warning(text, hint);
    texts_.emplace_back(text);
  }
  void note(std::string_view text, std::string_view hint) override { listener_.note(text, hint); }
  // Losses are reported in linux-perf's words.
  void verbatim(std::string_view bytes) override {
    listener_.verbatim(bytes);
    if (!bytes.starts_with("Warning:")) return;
    std::string text(bytes);
    std::ranges::replace(text, '\n', ' ');
    texts_.push_back(text);
  }
  void progress(std::string_view text) override { listener_.progress(text); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  SessionListener& listener_;
  std::vector<std::string> texts_;
};

std::string seconds(u64 time) { return fmt::format("{:.3f} s", static_cast<double>(time) / 1e9); }

void warn_about_dropped(const Timeline& timeline, SessionListener& listener) {
  if (timeline.dropped_texts != 0)
    listener.warning(fmt::format("{} left out: their fields have too many different values",
                                 counted(timeline.dropped_texts, "text of events was", "texts of events were")));
  if (timeline.untimed != 0)
    listener.warning(fmt::format(
        "{} left out", counted(timeline.untimed, "sample without a time was", "samples without a time were")));
  if (timeline.dropped_slices != 0)
    listener.warning(fmt::format(
        "{} left out: too many were open at once",
        counted(timeline.dropped_slices, "system call or I/O request was", "system calls or I/O requests were")));
  if (timeline.dropped_states != 0)
    listener.warning(fmt::format("{} left out: too many tasks at once",
                                 counted(timeline.dropped_states, "state of tasks was", "states of tasks were")));
  if (timeline.overview.is_partial()) listener.warning("the overview lacks the least busy tasks: zoom in to see them");
}

std::string lanes_end_text(u64 end) {
  return fmt::format("the page has only an overview from {} on: its size limit is reached", seconds(end));
}
std::string fields_end_text(u64 end) {
  return fmt::format("the page has no fields of events from {} on: its size limit is reached", seconds(end));
}

void warn_about_limit(const TimelinePacker& packed, SessionListener& listener) {
  constexpr std::string_view kHint = "raise --size-limit, or choose a part with --time";
  if (packed.lanes_end()) listener.warning(lanes_end_text(*packed.lanes_end()), kHint);
  if (packed.fields_end()) listener.warning(fields_end_text(*packed.fields_end()), kHint);
}

TimelinePageText page_text(const TracedRecording& recording, const Timeline& timeline, const ViewRequest& request) {
  TimelinePageText text{.title = request.title,
                        .subtitle = recorded_command(*recording.reader),
                        .made_by = request.creator,
                        .facts = recorded_facts(*recording.reader),
                        .notes = {}};
  if (text.title.empty())
    text.title = fmt::format("{} in {}{}", grouped_count(timeline.event_count, "event"), seconds(timeline.length),
                             on_recorded_host(*recording.reader));
  text.facts.emplace_back("Events", grouped_number(timeline.event_count));
  text.facts.emplace_back("Time from first to last event", seconds(timeline.length));
  text.facts.emplace_back("Start, in the clock of the recording",
                          fmt::format("{}.{:09} s", timeline.start / 1'000'000'000, timeline.start % 1'000'000'000));
  return text;
}

}  // namespace

Result<Timeline> read_timeline(TracedRecording& recording, const std::string& times, TimelineBlockSink* blocks,
                               SessionListener& listener) {
  auto spans = choose_times(times, *recording.reader);
  if (!spans) return std::unexpected(std::move(spans.error()));
  SampleFilter filter;
  filter.times = std::move(*spans);
  TimelineCollector collector(*recording.reader, {.names = event_names(*recording.reader), .blocks = blocks});
  PEREGRINE_TRY(replay_traced(recording, collector, std::move(filter), listener));
  Timeline timeline = collector.finish();
  warn_about_dropped(timeline, listener);
  return timeline;
}

Result<> write_timeline(TracedRecording& recording, const ViewRequest& request, Sink& standard_output,
                        SessionListener& listener) {
  WarningKeeper kept(listener);
  TimelinePacker packed(request.page_bytes);
  const auto timeline = read_timeline(recording, request.times, &packed, kept);
  if (!timeline) return std::unexpected(timeline.error());
  TimelinePageText text = page_text(recording, *timeline, request);
  text.notes = kept.texts();
  text.notes.push_back(lanes_end_text(timeline->length));  // until it is known whether the limit is reached
  text.notes.push_back(fields_end_text(timeline->length));
  packed.pack_rest(*timeline, text);
  warn_about_limit(packed, kept);
  text.notes = kept.texts();
  PEREGRINE_TRY(write_whole_file(request.page, standard_output,
                                 [&](Sink& out) { print_timeline_page(out, *timeline, packed, text); }));
  listener.note(fmt::format("wrote {} ({})", shown_path(request.page), grouped_count(timeline->event_count, "event")));
  return {};
}

}  // namespace peregrine
