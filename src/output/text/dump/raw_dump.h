// RawDump: -D, every record as bytes and text.
//
//   \n0x398@perf.data [0x78]: event: 10\n.\n. ... raw event: size 120 bytes\n.  0000:  0a 00 …  ......x…\n
//   \n486299905055 0x398 [0x78]: PERF_RECORD_MMAP2 9348/9348: [0x55ca13e0f000(0x1000) …
//
// Byte for byte linux-perf's, since scripts parse it. raw_dump_sample.h has the details of samples, record_text.h
// those of all other records. Several threads may dump records of a file; those of a pipe, which
// announces its events in between, need one.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record_rows.h"
#include "abi/recorded_field.h"
#include "base/bytes.h"
#include "base/concurrency/slice_queue.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "output/sink.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class RawDump {
 public:
  // Marks records the command ignores as unhandled; the two commands differ in this.
  enum class Command : u8 { Script, Report };
  // `names`: of the events. `by_time`: rounds are used. `reader` must outlive this.
  RawDump(const data::Reader& reader, std::vector<std::string> names, Command command, bool by_time = true);

  // Printed before all records: if not all records have times, they are read in file order.
  std::string_view preamble() const;
  // `scratch` is overwritten.
  void put(ScriptText& out, const ReplayRecord& record, Resolver& resolver, std::string& scratch);
  // " ... thread: comm:7\n ...... dso: /bin/ls\n": a sample's origin. Written for each sample that reaches the sink.
  void put_place(ScriptText& out, const ReplaySample& sample, Resolver& resolver) const;

 private:
  void put_stamp(std::string& text, const ReplayRecord& record) const;
  void put_words(std::string& text, const ReplayRecord& record, Resolver& resolver);
  void put_kernel_record(std::string& text, const ReplayRecord& record, Resolver& resolver) const;
  std::string_view name_of(u32 event) const;
  bool handles(abi::RecordType type) const;
  void note_attr(const abi::EventAttr& attr);

  const data::Evlist& evlist_;
  std::vector<std::string> names_;
  std::string path_;  // as in the first line of each record
  Command command_;
  bool by_time_;
  u64 start_ = 0;  // offsets are relative to this
  abi::Arch arch_;
  std::vector<const abi::RecordedField*> numbers_ = abi::in_turn<&abi::RecordedField::dump>();
  std::size_t attrs_ = 0;       // number of events so far: a pipe sends them one by one
  u64 sample_type_ = 0;         // the union of all
  bool sample_id_all_ = false;  // of the first event
};

// A sink that dumps everything that passes through it to another sink, which must outlive this. Workers dump slices in
// parallel; a SliceQueue writes them in order.
class RawDumpSink : public ReplaySink {
 public:
  RawDumpSink(RawDump dump, ReplaySink& next, Sink& out) : dump_(std::move(dump)), next_(next), out_(out) {}

  void begin(unsigned workers) override {
    out_.append(dump_.preamble());
    workers_.resize(workers);
    next_.begin(workers);
  }
  void before_batch() override { next_.before_batch(); }
  void begin_batch() override { next_.begin_batch(); }
  void begin_slice(u64 slice, unsigned worker) override {
    workers_[worker].text = slices_.begin(slice);
    next_.begin_slice(slice, worker);
  }
  void record(const ReplayRecord& record, Resolver& resolver, unsigned worker) override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override {
    next_.side_band(record, resolver, worker);
  }
  void end_slice(u64 slice, unsigned worker) override;
  bool end_batch() override { return next_.end_batch() && out_.ok(); }

 private:
  struct Worker {
    std::unique_ptr<ScriptText> text;
    std::string scratch;
  };

  RawDump dump_;
  ReplaySink& next_;
  Sink& out_;
  std::vector<Worker> workers_;
  SliceQueue<ScriptText> slices_;
};

}  // namespace peregrine
