// PerfettoTimeline: a timeline as a Perfetto trace (protobuf), for ui.perfetto.dev and trace_processor.
//
//   Trace: packet, packet, …      TrackDescriptor: a track and its name       TrackEvent: begin, end, instant, counter
//
// Fields have the numbers of protos/perfetto/trace/trace_packet.proto and track_event.proto. Packets need no order: the
// reader sorts them by time.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/types.h"
#include "output/profile/protobuf.h"
#include "output/sink.h"
#include "output/timeline/timeline_writer.h"

namespace peregrine {

class PerfettoTimeline : public TimelineWriter {
 public:
  // `out` must outlive this.
  explicit PerfettoTimeline(Sink& out) : out_(out) {}
  void name(const TimelineTrack& track, std::string_view name) override;
  void slice(const TimelineMark& event) override;
  void instant(const TimelineMark& event) override;
  void counter(std::string_view name, u64 time, u64 value) override;
  void finish() override {}

 private:
  void put_packet(ProtobufMessage& packet);
  void put_event(u64 time, const ProtobufMessage& event);
  void put_descriptor(const ProtobufMessage& descriptor);
  void name_group(u64 uuid, std::string_view name);
  void process(u32 pid, std::string_view name);

  Sink& out_;
  std::map<u32, bool> processes_;                     // by pid: whether the main thread named it
  std::map<std::string, u64, std::less<>> counters_;  // tracks
  bool cpus_named_ = false, interrupts_named_ = false, begun_ = false;
};

}  // namespace peregrine
