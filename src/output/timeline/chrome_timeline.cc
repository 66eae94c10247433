#include "output/timeline/chrome_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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

void put_time(JsonLine& line, std::string_view name, u64 ns) {
  line.raw(name, fmt::format("{}.{:03}", ns / 1000, ns % 1000));
}

}  // namespace

ChromeTimeline::ChromeTimeline(Sink& out) : out_(out), json_(out) {
  json_.begin_object().member("displayTimeUnit", "ns").key("traceEvents").begin_array();
}

void ChromeTimeline::end() {
  event_ += '}';
  json_.line().next().append(event_);
}

void ChromeTimeline::put_metadata(std::string_view what, u32 pid, u32 tid, std::string_view name) {
  event_ = "{";
  JsonLine line(event_);
  line.string("ph", "M");
  line.string("name", what);
  line.number("pid", pid);
  line.number("tid", tid);
  line.raw("args", "{");
  line.string("name", name);
  event_ += '}';
  end();
}

void ChromeTimeline::name(const TimelineTrack& track, std::string_view name) {
  if (track.kind == TimelineTrack::Kind::Cpu && !std::exchange(cpus_named_, true))
    put_metadata("process_name", kCpus, 0, "CPUs");
  if (track.kind == TimelineTrack::Kind::Interrupts && !std::exchange(interrupts_named_, true))
    put_metadata("process_name", kInterrupts, 0, "interrupts");
  if (track.kind == TimelineTrack::Kind::Thread && track.pid == track.id)
    put_metadata("process_name", track.pid, track.id, name);
  put_metadata("thread_name", pid_of(track), track.id, name);
}

void ChromeTimeline::put(std::string_view phase, const TimelineMark& event) {
  event_ = "{";
  JsonLine line(event_);
  line.string("ph", phase);
  line.string("name", event.name);
  line.string("cat", event.category);
  line.number("pid", pid_of(event.track));
  line.number("tid", event.track.id);
  put_time(line, "ts", event.begin);
  if (phase == "X")
    put_time(line, "dur", event.end - event.begin);
  else
    line.string("s", "t");
  if (!event.arguments.empty()) {
    line.raw("args", "{");
    for (const TimelineArgument& argument : event.arguments) {
      if (const auto* text = std::get_if<std::string>(&argument.value)) line.string(argument.name, *text);
      if (const auto* number = std::get_if<u64>(&argument.value)) line.number(argument.name, *number);
      if (const auto* number = std::get_if<i64>(&argument.value)) line.number(argument.name, *number);
    }
    event_ += '}';
  }
  end();
}

void ChromeTimeline::slice(const TimelineMark& event) { put("X", event); }
void ChromeTimeline::instant(const TimelineMark& event) { put("i", event); }

void ChromeTimeline::counter(std::string_view name, u64 time, u64 value) {
  event_ = "{";
  JsonLine line(event_);
  line.string("ph", "C");
  line.string("name", name);
  line.number("pid", kCpus);
  put_time(line, "ts", time);
  line.raw("args", "{");
  line.number("value", value);
  event_ += '}';
  end();
}

void ChromeTimeline::finish() {
  out_.append('\n');
  json_.end_array().end_object();
  out_.append('\n');
}

}  // namespace peregrine
