#include "output/timeline/chrome_timeline.h"

#include <string>
#include <utility>
#include <variant>

#include "output/json/json_line.h"

namespace peregrine {
namespace {

// The kernel's largest number of a process is 2^22.
constexpr u32 kCpus = 1u << 30, kInterrupts = kCpus + 1;

u32 pid_of(const TimelineTrack& track) {
  switch (track.kind) {
    case TimelineTrack::Kind::Cpu:
      return kCpus;
    case TimelineTrack::Kind::Interrupts:
      return kInterrupts;
    case TimelineTrack::Kind::Thread:
      return track.pid;
  }
  std::unreachable();
}

}  // namespace

ChromeTimeline::ChromeTimeline(Sink& out) : events_(out) { events_.begin_document(); }

void ChromeTimeline::name(const TimelineTrack& track, std::string_view name) {
  if (track.kind == TimelineTrack::Kind::Cpu && !std::exchange(cpus_named_, true))
    events_.put_name("process_name", kCpus, 0, "CPUs");
  if (track.kind == TimelineTrack::Kind::Interrupts && !std::exchange(interrupts_named_, true))
    events_.put_name("process_name", kInterrupts, 0, "interrupts");
  if (track.kind == TimelineTrack::Kind::Thread && track.pid == track.id)
    events_.put_name("process_name", track.pid, track.id, name);
  events_.put_name("thread_name", pid_of(track), track.id, name);
}

void ChromeTimeline::put(std::string_view phase, const TimelineMark& event) {
  JsonLine line = events_.begin(phase);
  line.string("name", event.name);
  line.string("cat", event.category);
  ChromeEvents::put_place(line, pid_of(event.track), event.track.id);
  events_.put_time(line, "ts", event.begin);
  if (phase == "X")
    events_.put_time(line, "dur", event.end - event.begin);
  else
    line.string("s", "t");
  if (!event.arguments.empty()) {
    line.raw("args", "{");
    for (const TimelineArgument& argument : event.arguments) {
      if (const auto* text = std::get_if<std::string>(&argument.value)) line.string(argument.name, *text);
      if (const auto* number = std::get_if<u64>(&argument.value)) line.number(argument.name, *number);
      if (const auto* number = std::get_if<i64>(&argument.value)) line.number(argument.name, *number);
    }
  }
  events_.end(event.arguments.empty() ? "}" : "}}");
}

void ChromeTimeline::slice(const TimelineMark& event) { put("X", event); }
void ChromeTimeline::instant(const TimelineMark& event) { put("i", event); }

void ChromeTimeline::counter(std::string_view name, u64 time, u64 value) {
  JsonLine line = events_.begin("C");
  line.string("name", name);
  line.number("pid", kCpus);
  events_.put_time(line, "ts", time);
  line.raw("args", "{");
  line.number("value", value);
  events_.end("}}");
}

void ChromeTimeline::finish() { events_.end_document(); }

}  // namespace peregrine
