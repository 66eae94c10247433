// TracepointRecording: a recording of tracepoints as code, replayed into a sink without a file or a kernel.
//
//   TracepointRecording recording;
//   recording.event("sched:sched_switch", {"prev_pid", "next_pid", "prev_comm[16]"});
//   recording.hit("sched:sched_switch", {.time = 5, .cpu = 1}, {7, 0, "worker"});
//   ReplayedRecording replayed(recording);
//   SchedLatency latency(replayed.reader(), {});
//   replayed.run(latency);
//
// A field is a u64, or a text if its name ends in "[SIZE]". Values are given in the order of the fields.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "data/reader/reader.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "pipeline/replay/replay.h"
#include "support/built_recording.h"
#include "support/perf_data_builder.h"

namespace peregrine::support {

class TracepointRecording {
 public:
  // When and on which CPU a tracepoint was hit. `flags`: common_flags.
  struct At {
    u64 time = 0;
    u32 cpu = 0, pid = 7, tid = 7;
    std::vector<u64> chain = {};
    u8 flags = 0;
    u64 cgroup = 0;
  };

  // `sample`: additional sample fields. `print`: the arguments of the print format, which may define names for values.
  explicit TracepointRecording(std::string sample = "identifier,ip,tid,time,cpu,callchain,raw")
      : sample_(std::move(sample)) {}

  // `name`: "system:name".
  void event(std::string_view name, const std::vector<std::string>& fields, std::string_view print = "\"\"") {
    Event& made = events_[std::string(name)];
    made.number = events_.size() - 1;
    made.id = kFirstId + static_cast<u32>(made.number);
    std::string text = fmt::format(
        "name: {}\nID: {}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\n",
        name.substr(name.find(':') + 1), made.id);
    std::size_t offset = kHeader;
    for (const std::string& field : fields) {
      const std::size_t bracket = field.find('[');
      const std::size_t size = bracket == field.npos ? 8 : std::stoul(field.substr(bracket + 1));
      text += fmt::format("\tfield:{} {};\toffset:{};\tsize:{};\tsigned:0;\n", bracket == field.npos ? "u64" : "char",
                          field, offset, size);
      made.sizes.push_back(bracket == field.npos ? 0 : size);
      offset += size;
    }
    const std::string system(name.substr(0, name.find(':')));
    formats_[system].push_back(fmt::format("{}\nprint fmt: {}\n", text, print));
    data_.attr({{"name", std::string(name)},
                {"type", 2},
                {"config", made.id},
                {"sample", sample_},
                {"flags", "sample_id_all"},
                {"ids", made.id}});
  }

  void hit(std::string_view name, const At& at, const std::vector<Value>& values) {
    const Event& event = events_.at(std::string(name));
    if (values.size() != event.sizes.size()) throw std::invalid_argument("values do not match the fields");
    std::string raw = fmt::format("{:02x}{:02x}{:02x}0000000000", event.id & 0xff, event.id >> 8, at.flags);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string text = event.sizes[i] != 0 ? values[i].text() : std::string();
      const u64 number = event.sizes[i] == 0 ? values[i].number() : 0;
      for (std::size_t byte = 0; byte < (event.sizes[i] != 0 ? event.sizes[i] : 8); ++byte)
        raw += fmt::format("{:02x}", event.sizes[i] == 0  ? number >> 8 * byte & 0xff
                                     : byte < text.size() ? static_cast<u8>(text[byte])
                                                          : u64{0});
    }
    Fields fields{{"id", event.id}, {"pid", at.pid}, {"tid", at.tid}, {"time", at.time}, {"cpu", at.cpu}, {"raw", raw}};
    if (!at.chain.empty()) fields.emplace("chain", at.chain);
    if (at.cgroup != 0) fields.emplace("cgroup", at.cgroup);
    data_.record("sample", fields, event.number);
  }

  // A side-band record of the first event: "comm", "exit", "lost", …
  void record(std::string_view name, Fields fields) {
    fields.emplace("id", kFirstId);
    data_.record(name, fields);
  }
  // Sets a task's name from `time` on.
  void comm(u32 tid, const char* name, u64 time = 0) {
    record("comm", {{"pid", tid}, {"tid", tid}, {"comm", name}, {"time", time}});
  }

  std::vector<std::byte> bytes() const {
    TracingData tracing;
    for (const auto& [system, formats] : formats_) tracing.systems.push_back({system, formats});
    std::string hex;
    for (const std::byte byte : encode_tracing_data(tracing)) hex += fmt::format("{:02x}", static_cast<u8>(byte));
    PerfDataBuilder whole = data_;
    return whole.feature("tracing_data", {{"hex", hex}}).bytes();
  }

 private:
  static constexpr u32 kFirstId = 300;
  static constexpr std::size_t kHeader = 8;  // bytes before the first field
  struct Event {
    u32 id = 0;
    std::size_t number = 0;
    std::vector<std::size_t> sizes;  // size of text fields; 0: a number
  };
  std::string sample_;
  std::map<std::string, Event> events_;
  std::map<std::string, std::vector<std::string>> formats_;
  PerfDataBuilder data_;
};

// The reader and the machine of a replay, which sinks may refer to. Throws if the recording cannot be read.
class ReplayedRecording {
 public:
  // A TracepointRecording or a PerfDataBuilder.
  template <class Recording>
  explicit ReplayedRecording(const Recording& recording)
      : reader_(open_built(recording)), machine_(places_without_symbols()) {}

  const data::Reader& reader() const { return reader_; }
  const Machine& machine() const { return machine_; }

  // Shows the records that the sink wants. Call once. Sequential analyses need one worker.
  template <class Sink>
  void run(Sink& sink, unsigned workers = 1) {
    ReplayOptions options;
    options.workers = workers;
    if constexpr (requires { sink.records(); }) options.shown = sink.records();
    EXPECT_TRUE(Replay(reader_, machine_, std::move(options)).run(sink));
  }

 private:
  static SymbolPlaces places_without_symbols() {
    SymbolPlaces places;
    places.load = false;
    return places;
  }

  data::Reader reader_;
  Machine machine_;
};

}  // namespace peregrine::support
