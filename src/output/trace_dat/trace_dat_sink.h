// TraceDatSink: the samples of a recording's tracepoints as the ring-buffer pages of a trace.dat file.
//
//   sample: raw data, time, CPU ─▶ RingPageWriter of its CPU ─▶ PageStore ─▶ write_trace_dat()
//   its call chain ─▶ the ring buffer's kernel_stack and user_stack events, which follow it
//
// For a replay with one worker, in time order. The raw data of a tracepoint is the same in both formats. Samples of
// other events have no place in the file, and are counted. A time that goes back becomes that of the event before it.
// Lost events are counted in the page of the next event, or in a page without events at the end.
//
// Memory: one page per CPU.
#pragma once
#include <bitset>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "data/trace_dat/page_store.h"
#include "data/trace_dat/ring_page.h"
#include "data/trace_dat/trace_dat_writer.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/resolver/resolver.h"
#include "output/trace_dat/stack_format.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct TraceDatCounts {
  u64 samples = 0;    // written
  u64 others = 0;     // samples of other events
  u64 too_large = 0;  // samples that exceed a page
  u64 moved = 0;      // samples that came too late
};

class TraceDatSink : public ReplaySink {
 public:
  // `reader` must outlive this. `pages`: an empty file for the pages.
  TraceDatSink(const data::Reader& reader, Fd pages) : reader_(reader), pages_file_(std::move(pages)) {}

  // Records that the replay must show.
  static std::bitset<128> shown();

  void begin_batch() override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  bool end_batch() override { return !error_; }

  // Call after the replay. Completes the description with formats, names and clock; `kallsyms` are the symbols of the
  // recorded kernel, and `name` is for errors. Errors: writing; Unsupported: the recording has no tracepoints;
  // Malformed: its formats are broken.
  Result<> finish(int fd, const std::string& name, unsigned version, std::string kallsyms);
  const TraceDatCounts& counts() const { return counts_; }
  // Whether a reader needs the kernel's symbols: for stacks, or for addresses that an event prints as functions.
  bool needs_symbols() const;

 private:
  struct Cpu {
    data::RingPageWriter page;
    u64 time = 0;
  };

  Result<> learn();
  Cpu& cpu_of(u32 number);
  Result<> write_page(u32 number, Cpu& cpu);
  void add_lost(const abi::SampleId& id, u64 count);
  void add_event(u32 number, Cpu& cpu, u64 time, Bytes data);
  void add_stacks(u32 number, Cpu& cpu, const abi::Sample& sample, u32 tid);
  u32 tid_of(Bytes raw, const TraceFormat& format) const;
  data::WrittenTraceDat description(unsigned version) const;

  const data::Reader& reader_;
  Fd pages_file_;
  std::optional<TracingData> tracing_;
  data::RingLayout layout_;
  StackIds stack_ids_;
  std::optional<data::PageStore> pages_;
  std::map<u32, Cpu> cpus_;
  std::map<u32, std::string> names_;  // of threads, the last ones
  bool stacks_ = false;
  TraceDatCounts counts_;
  std::optional<Error> error_;
};

}  // namespace peregrine
