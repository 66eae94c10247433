#include "output/timeline/perfetto_timeline.h"

#include <utility>
#include <variant>

namespace peregrine {
namespace {

// Messages' fields.
namespace packet_field {
constexpr unsigned Timestamp = 8, SequenceId = 10, TrackEvent = 11, SequenceFlags = 13, TrackDescriptor = 60;
}
namespace descriptor_field {
constexpr unsigned Uuid = 1, Name = 2, Process = 3, Thread = 4, ParentUuid = 5, Counter = 8;
}
namespace event_field {
constexpr unsigned Annotation = 4, Type = 9, TrackUuid = 11, Category = 22, Name = 23, CounterValue = 30;
}
namespace annotation_field {
constexpr unsigned Unsigned = 3, Signed = 4, Text = 6, Name = 10;
}
constexpr unsigned kPacket = 1;
constexpr u64 kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;
constexpr u64 kSequence = 1, kStateCleared = 1;

// Tracks are numbered by kind.
enum class Group : u64 { Cpus = 1, Interrupts, Processes, Threads, Counters };
u64 uuid(Group group, u64 number) { return static_cast<u64>(group) << 56 | (number + 1); }

u64 uuid_of(const TimelineTrack& track) {
  switch (track.kind) {
    case TimelineTrack::Kind::Cpu:
      return uuid(Group::Cpus, track.id + 1);
    case TimelineTrack::Kind::Interrupts:
      return uuid(Group::Interrupts, track.id + 1);
    case TimelineTrack::Kind::Thread:
      return uuid(Group::Threads, track.id);
  }
  std::unreachable();
}

void put_arguments(std::span<const TimelineArgument> arguments, ProtobufMessage& event) {
  for (const TimelineArgument& argument : arguments) {
    ProtobufMessage annotation;
    annotation.bytes(annotation_field::Name, argument.name);
    if (const auto* text = std::get_if<std::string>(&argument.value)) annotation.bytes(annotation_field::Text, *text);
    if (const auto* value = std::get_if<u64>(&argument.value))
      annotation.any_number(annotation_field::Unsigned, *value);
    if (const auto* value = std::get_if<i64>(&argument.value))
      annotation.any_number(annotation_field::Signed, static_cast<u64>(*value));
    event.bytes(event_field::Annotation, annotation.text());
  }
}

ProtobufMessage begun_event(u64 type, const TimelineMark& event) {
  ProtobufMessage message;
  message.number(event_field::Type, type);
  message.number(event_field::TrackUuid, uuid_of(event.track));
  message.bytes(event_field::Category, event.category);
  message.bytes(event_field::Name, event.name);
  put_arguments(event.arguments, message);
  return message;
}

}  // namespace

void PerfettoTimeline::put_packet(ProtobufMessage& packet) {
  packet.number(packet_field::SequenceId, kSequence);
  if (!std::exchange(begun_, true)) packet.number(packet_field::SequenceFlags, kStateCleared);
  ProtobufMessage trace;
  trace.bytes(kPacket, packet.text());
  out_.append(trace.text());
}

void PerfettoTimeline::put_event(u64 time, const ProtobufMessage& event) {
  ProtobufMessage packet;
  packet.any_number(packet_field::Timestamp, time);
  packet.bytes(packet_field::TrackEvent, event.text());
  put_packet(packet);
}

void PerfettoTimeline::put_descriptor(const ProtobufMessage& descriptor) {
  ProtobufMessage packet;
  packet.bytes(packet_field::TrackDescriptor, descriptor.text());
  put_packet(packet);
}

void PerfettoTimeline::name_group(u64 group, std::string_view name) {
  ProtobufMessage descriptor;
  descriptor.number(descriptor_field::Uuid, group);
  descriptor.bytes(descriptor_field::Name, name);
  put_descriptor(descriptor);
}

// A process is named by its main thread, or by its first one if that has no events.
void PerfettoTimeline::process(u32 pid, std::string_view name) {
  constexpr unsigned kPid = 1, kName = 6;
  ProtobufMessage process, descriptor;
  process.any_number(kPid, pid);
  process.bytes(kName, name);
  descriptor.number(descriptor_field::Uuid, uuid(Group::Processes, pid));
  descriptor.bytes(descriptor_field::Process, process.text());
  put_descriptor(descriptor);
}

void PerfettoTimeline::name(const TimelineTrack& track, std::string_view name) {
  if (track.kind == TimelineTrack::Kind::Cpu && !std::exchange(cpus_named_, true))
    name_group(uuid(Group::Cpus, 0), "CPUs");
  if (track.kind == TimelineTrack::Kind::Interrupts && !std::exchange(interrupts_named_, true))
    name_group(uuid(Group::Interrupts, 0), "interrupts");
  ProtobufMessage descriptor;
  descriptor.number(descriptor_field::Uuid, uuid_of(track));
  if (track.kind == TimelineTrack::Kind::Thread) {
    constexpr unsigned kPid = 1, kTid = 2, kName = 5;
    const auto known = processes_.find(track.pid);
    const bool is_main = track.pid == track.id;
    if (known == processes_.end() || is_main) process(track.pid, name);
    processes_[track.pid] = is_main || (known != processes_.end() && known->second);
    ProtobufMessage thread;
    thread.any_number(kPid, track.pid);
    thread.any_number(kTid, track.id);
    thread.bytes(kName, name);
    descriptor.bytes(descriptor_field::Thread, thread.text());
    descriptor.number(descriptor_field::ParentUuid, uuid(Group::Processes, track.pid));
  } else {
    descriptor.bytes(descriptor_field::Name, name);
    descriptor.number(descriptor_field::ParentUuid,
                      uuid(track.kind == TimelineTrack::Kind::Cpu ? Group::Cpus : Group::Interrupts, 0));
  }
  put_descriptor(descriptor);
}

void PerfettoTimeline::slice(const TimelineMark& event) {
  put_event(event.begin, begun_event(kBegin, event));
  ProtobufMessage end;
  end.number(event_field::Type, kEnd);
  end.number(event_field::TrackUuid, uuid_of(event.track));
  put_event(event.end, end);
}

void PerfettoTimeline::instant(const TimelineMark& event) { put_event(event.begin, begun_event(kInstant, event)); }

void PerfettoTimeline::counter(std::string_view name, u64 time, u64 value) {
  auto found = counters_.find(name);
  if (found == counters_.end()) {
    found = counters_.emplace(name, uuid(Group::Counters, counters_.size())).first;
    ProtobufMessage descriptor;
    descriptor.number(descriptor_field::Uuid, found->second);
    descriptor.bytes(descriptor_field::Name, name);
    descriptor.bytes(descriptor_field::Counter, "");
    put_descriptor(descriptor);
  }
  ProtobufMessage event;
  event.number(event_field::Type, kCounter);
  event.number(event_field::TrackUuid, found->second);
  event.any_number(event_field::CounterValue, value);
  put_event(time, event);
}

}  // namespace peregrine
