#include "support/make_pt_data/intel_pt_file.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/byte_buffer.h"
#include "support/make_pt_data/intel_pt_processor.h"
#include "support/perf_data_builder.h"

namespace peregrine::support {
namespace {

constexpr std::uint32_t kIdIndex = 69, kAuxtraceInfo = 70, kTimeConv = 79;  // record types of the perf tool
constexpr std::uint64_t kPmuType = 8;
constexpr std::uint64_t kNoCpu = ~0ull;

// Bits of the event's config, which are the same as in the processor's register IA32_RTIT_CTL.
constexpr std::uint64_t kPt = 1, kCyc = 1u << 1, kPower = 1u << 4, kFupOnPtw = 1u << 5, kMtc = 1u << 9, kTsc = 1u << 10,
                        kNoRetComp = 1u << 11, kPtw = 1u << 12, kBranch = 1u << 13, kMtcPeriod = 0xfu << 14,
                        kPsbPeriod = 3u << 24;

// ns = ticks × mult >> shift.
constexpr std::uint64_t kTimeShift = 31, kTimeMult = (1ull << kTimeShift) / kTicksPerNanosecond, kTimeZero = 0;

std::string hex_of(const std::vector<std::byte>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const std::byte byte : bytes) {
    hex += kDigits[static_cast<unsigned>(byte) >> 4];
    hex += kDigits[static_cast<unsigned>(byte) & 15];
  }
  return hex;
}

class IntelPtFile {
 public:
  explicit IntelPtFile(const Recording& recording) : recording_(recording), cpus_(recording.traces.size()) {}
  std::vector<std::byte> bytes() {
    put_attrs();
    put_head();
    for (const SideBandRecord& record : recording_.side_band) put(record);
    put_trace();
    data_.record("finished_round");
    put_features();
    return data_.bytes();
  }

 private:
  std::uint64_t id(SideBandEvent event, std::uint64_t cpu) const {
    return 1 + static_cast<std::uint64_t>(event) * cpus_ + cpu;
  }
  std::vector<SideBandEvent> events() const {
    std::vector<SideBandEvent> events = {SideBandEvent::IntelPt, SideBandEvent::Dummy};
    if (recording_.wide_switches) events.push_back(SideBandEvent::Switches);
    if (recording_.options.pebs_every != 0) events.push_back(SideBandEvent::Pebs);
    return events;
  }
  std::vector<std::uint64_t> ids(SideBandEvent event) const {
    std::vector<std::uint64_t> ids;
    for (std::uint64_t cpu = 0; cpu < cpus_; ++cpu) ids.push_back(id(event, cpu));
    return ids;
  }
  std::uint64_t config() const;
  void put_attrs();
  void put_pebs_attr(const std::string& sample);
  void put_head();
  void put_id_index();
  void put_auxtrace_info();
  void put_branch_records_info();
  void put(const SideBandRecord& record);
  void put_trace();
  void put_buffer(std::uint64_t cpu, std::size_t from, std::size_t end);
  void put_features();

  const Recording& recording_;
  std::size_t cpus_;
  PerfDataBuilder data_;
  std::vector<std::size_t> auxtrace_at_ = {};  // offsets in the data
};

std::uint64_t IntelPtFile::config() const {
  const IntelPtOptions& options = recording_.options;
  return kPt | kTsc | kBranch | kPsbPeriod | (options.cyc ? kCyc : 0) | (options.power ? kPower : 0) |
         (options.ptwrite_every != 0 ? kPtw | kFupOnPtw : 0) |
         (options.mtc ? kMtc | std::uint64_t{kMtcShift} << 14 : 0) | (options.return_compression ? 0 : kNoRetComp);
}

void IntelPtFile::put_attrs() {
  const std::string sample = recording_.per_cpu ? "ip,tid,time,cpu,identifier" : "ip,tid,time,identifier";
  const std::string inherited = recording_.per_cpu ? ",inherit" : "";
  const bool bts = recording_.options.branch_records;
  data_.attr({{"name", bts ? "intel_bts//u" : "intel_pt//u"},
              {"type", kPmuType},
              {"config", bts ? 0 : config()},
              {"period", 1},
              {"sample", sample},
              {"read", "id"},
              {"flags", "disabled,exclude_kernel,exclude_hv,enable_on_exec,sample_id_all" + inherited},
              {"ids", ids(SideBandEvent::IntelPt)}});
  data_.attr({{"name", "dummy:u"},
              {"type", 1},
              {"config", 9},
              {"period", 1},
              {"sample", sample},
              {"read", "id"},
              {"flags", "exclude_kernel,exclude_hv,mmap,comm,task,sample_id_all,mmap2,comm_exec" + inherited +
                            (recording_.per_cpu && !recording_.wide_switches ? ",context_switch" : "")},
              {"ids", ids(SideBandEvent::Dummy)}});
  if (recording_.wide_switches)
    data_.attr({{"name", "dummy:u"},
                {"type", 1},
                {"config", 9},
                {"period", 1},
                {"sample", sample},
                {"read", "id"},
                {"flags", "exclude_kernel,exclude_hv,sample_id_all,context_switch"},
                {"ids", ids(SideBandEvent::Switches)}});
  if (recording_.options.pebs_every != 0) put_pebs_attr(sample);
}

// cycles:uppp in a group led by intel_pt: with all general registers except segments, and any branches.
void IntelPtFile::put_pebs_attr(const std::string& sample) {
  constexpr std::uint64_t kRegisters = 0xff03ff, kAnyBranch = 8;
  data_.attr({{"name", "cycles/aux-output/uppp"},
              {"type", 0},
              {"config", 0},
              {"period", recording_.options.pebs_every},
              {"sample", sample + ",addr,weight,regs_intr,branch_stack"},
              {"branch", kAnyBranch},
              {"regs_intr", kRegisters},
              {"precise", 3},
              {"read", "id"},
              {"flags", "exclude_kernel,exclude_hv,sample_id_all,aux_output"},
              {"ids", ids(SideBandEvent::Pebs)}});
}

// TIME_CONV, ID_INDEX and AUXTRACE_INFO. The first is that of Linux 5.10 and later: with the counter's mask, and
// whether the counter is shorter than 64 bits.
void IntelPtFile::put_head() {
  ByteBuffer conversion;
  conversion.put64(kTimeShift).put64(kTimeMult).put64(kTimeZero).put64(0).put64(~0ull).put(1, 1).zeros(7);
  data_.raw_record(kTimeConv, 0, conversion.bytes());
  put_id_index();
  put_auxtrace_info();
}

void IntelPtFile::put_id_index() {
  ByteBuffer index;
  index.put64(events().size() * cpus_);
  for (const SideBandEvent event : events()) {
    for (std::uint64_t cpu = 0; cpu < cpus_; ++cpu) {
      const auto tid = static_cast<std::uint64_t>(recording_.workload.tid);
      index.put64(id(event, cpu)).put64(cpu).put64(recording_.per_cpu ? cpu : kNoCpu).put64(tid);
    }
  }
  data_.raw_record(kIdIndex, 0, index.bytes());
}

void IntelPtFile::put_auxtrace_info() {
  if (recording_.options.branch_records) return put_branch_records_info();
  const std::uint64_t have_switches = !recording_.per_cpu ? 0 : recording_.wide_switches ? 3 : 2;
  ByteBuffer body;
  body.put32(1).put32(0);  // Intel PT
  for (const std::uint64_t word :
       {kPmuType, kTimeShift, kTimeMult, kTimeZero, /*time zero is known*/ std::uint64_t{1}, kTsc, kNoRetComp,
        have_switches, /*snapshots*/ std::uint64_t{0}, std::uint64_t{recording_.per_cpu}, kMtc, kMtcPeriod,
        /*ticks per crystal tick, over*/ std::uint64_t{kTicksPerCrystalTick}, std::uint64_t{1}, kCyc,
        std::uint64_t{kMaxNonTurboRatio}, /*length of the filter*/ std::uint64_t{0}, /*event trace*/ std::uint64_t{0}})
    body.put64(word);
  data_.raw_record(kAuxtraceInfo, 0, body.bytes());
}

void IntelPtFile::put_branch_records_info() {
  ByteBuffer body;
  body.put32(2).put32(0);  // Intel BTS
  for (const std::uint64_t word : {kPmuType, kTimeShift, kTimeMult, kTimeZero, /*time zero is known*/ std::uint64_t{1},
                                   /*snapshots*/ std::uint64_t{0}})
    body.put64(word);
  data_.raw_record(kAuxtraceInfo, 0, body.bytes());
}

void IntelPtFile::put(const SideBandRecord& record) {
  Fields fields = record.fields;
  fields.insert_or_assign("id", id(record.event, record.cpu));
  data_.record(record.name, fields, static_cast<std::size_t>(record.event));
}

void IntelPtFile::put_trace() {
  for (std::uint64_t cpu = 0; cpu < cpus_; ++cpu) {
    const std::size_t size = recording_.traces[cpu].size();
    std::size_t from = 0;
    for (const std::size_t end : recording_.filled_at[cpu]) {
      put_buffer(cpu, from, std::min(end, size));
      from = std::min(end, size);
    }
    put_buffer(cpu, from, size);
  }
}

// An auxtrace record and the bytes after it.
void IntelPtFile::put_buffer(std::uint64_t cpu, std::size_t from, std::size_t end) {
  if (from == end) return;
  const auto trace = recording_.traces[cpu].begin();
  for (const Section& section : data_.sections())
    if (section.name == "data") auxtrace_at_.push_back(section.size);
  data_.record("auxtrace", {{"size", end - from},
                            {"offset", from},
                            {"reference", recording_.clock.ticks},
                            {"index", cpu},
                            {"on_tid", recording_.workload.tid},
                            {"on_cpu", recording_.per_cpu ? cpu : kNoCpu}});
  data_.raw_bytes({trace + static_cast<std::ptrdiff_t>(from), trace + static_cast<std::ptrdiff_t>(end)});
}

void IntelPtFile::put_features() {
  std::string words =
      recording_.options.branch_records ? "perf record -e intel_bts//u --" : "perf record -e intel_pt//u --";
  for (const std::string& word : recording_.command) words += ' ' + word;
  data_.feature("hostname", {{"text", "localhost"}});
  data_.feature("osrelease", {{"text", "6.1.0"}});
  data_.feature("version", {{"text", "6.1"}});
  data_.feature("arch", {{"text", "x86_64"}});
  data_.feature("nrcpus", {{"online", cpus_}, {"available", cpus_}});
  data_.feature("cpudesc", {{"text", "Intel(R) Core(TM) CPU @ 2.00GHz"}});
  data_.feature("cpuid", {{"text", "GenuineIntel,6,78,3"}});
  data_.feature("cmdline", {{"words", words}});
  data_.feature("event_desc");
  std::size_t data_at = 0;
  for (const Section& section : data_.sections())
    if (section.name == "data") data_at = section.offset;
  ByteBuffer index;  // offsets of the records with the trace, and their size without it
  index.put64(auxtrace_at_.size());
  for (const std::size_t at : auxtrace_at_) index.put64(data_at + at).put64(48);
  data_.feature("auxtrace", {{"hex", hex_of(index.bytes())}});
}

}  // namespace

std::vector<std::byte> intel_pt_file(const Recording& recording) { return IntelPtFile(recording).bytes(); }

}  // namespace peregrine::support
