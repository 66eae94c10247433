#include "pipeline/build_id/hit_dsos.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <expected>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/dso/own_vdso.h"

namespace peregrine {
namespace {

constexpr unsigned kPageShift = 12;
constexpr u32 kKernelPid = 0xffffffffu;  // the pid of kernel maps
constexpr std::string_view kKernelName = "[kernel.kallsyms]";

struct PageHit {
  u32 pid = 0;
  u64 page = 0;
  friend bool operator==(const PageHit&, const PageHit&) = default;
};

// A set of pages (open addressing), with a shortcut for the last page: most samples hit few pages.
class PageSet {
 public:
  // Returns false if the page was already in the set.
  bool insert(PageHit hit) {
    if (hit == last_) return false;
    last_ = hit;
    if ((used_ + 1) * 2 > slots_.size()) grow();
    if (!place(hit)) return false;
    ++used_;
    return true;
  }
  const std::vector<PageHit>& slots() const { return slots_; }
  static bool empty(const PageHit& slot) { return slot.page == kNoPage; }

 private:
  // No address has this page.
  static constexpr u64 kNoPage = std::numeric_limits<u64>::max();
  bool place(PageHit hit) {
    std::size_t at = ((hit.page ^ (u64{hit.pid} << 40)) * 0x9e3779b97f4a7c15ull) >> shift_;
    for (;; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == hit) return false;
      if (empty(slots_[at])) break;
    }
    slots_[at] = hit;
    return true;
  }
  void grow() {
    const std::vector<PageHit> old = std::move(slots_);
    slots_.assign(std::max<std::size_t>(1024, old.size() * 2), PageHit{0, kNoPage});
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots_.size()));
    for (const PageHit& hit : old) {
      if (!empty(hit)) place(hit);
    }
  }

  std::vector<PageHit> slots_;
  std::size_t used_ = 0;
  unsigned shift_ = 64;
  PageHit last_{0, kNoPage};
};

struct MappedRange {
  u64 start = 0, end = 0;
  u32 dso = 0;
};

struct ProcessMaps {
  std::vector<MappedRange> ranges;
  bool sorted = true;  // by start
};

}  // namespace

// Samples become pages, and pages become dsos at the end, so a sample costs one look-up in the set of pages:
//
//   sample ─▶ {pid, page} ─▶ PageSet ──mark()──▶ maps of the pid, else of its parents ─▶ HitDso::hit
class HitFinder::State {
 public:
  explicit State(const data::Evlist& evlist) : evlist_(evlist) {
    dsos_.push_back({std::string(kKernelName), true, {}, false, false});
  }

  void add(const abi::RecordView& record) {
    switch (record.type) {
      case abi::RecordType::Sample:
        add_sample(record);
        break;
      case abi::RecordType::Mmap:
      case abi::RecordType::Mmap2:
      case abi::RecordType::Fork:
        add_side_band(record);
        break;
      default:
        break;
    }
  }

  std::vector<HitDso> take_new_hits() {
    for (const PageHit& hit : fresh_) mark(hit);
    fresh_.clear();
    return take_new(&HitDso::hit);
  }

  std::vector<HitDso> take_new_maps() { return take_new(&HitDso::mapped); }

  HitSummary summary() {
    HitSummary result;
    for (const PageHit& hit : pages_.slots()) {
      if (PageSet::empty(hit)) continue;
      mark(hit);
      if (hit.pid != kKernelPid) result.processes.insert(hit.pid);
    }
    result.dsos = std::move(dsos_);
    result.samples = samples_;
    if (samples_ > 0 && first_time_ != std::numeric_limits<u64>::max()) {
      result.first_time = first_time_;
      result.last_time = last_time_;
    }
    return result;
  }

 private:
  std::vector<HitDso> take_new(bool HitDso::* wanted) {
    std::vector<HitDso> fresh;
    taken_.resize(dsos_.size());
    for (std::size_t i = 0; i < dsos_.size(); ++i) {
      if (!(dsos_[i].*wanted) || taken_[i]) continue;
      taken_[i] = true;
      fresh.push_back(dsos_[i]);
    }
    return fresh;
  }

  void add_sample(const abi::RecordView& record) {
    const u32 event = evlist_.event_of(record);
    if (event == data::kNoEvent) return;
    ++samples_;
    const abi::SampleOffsets& at = evlist_.decoder(event).offsets();
    const auto field = [&](u32 offset) {
      return offset == abi::kAbsent || offset + 8 > record.bytes.size()
                 ? 0
                 : load<u64>(record.bytes.data() + offset, record.order);
    };
    if (const u64 time = field(at.time); time != 0) {
      first_time_ = std::min(first_time_, time);
      last_time_ = std::max(last_time_, time);
    }
    const u16 mode = record.cpumode();
    if (at.ip == abi::kAbsent) return;
    if (mode == abi::misc_bit::Kernel) {
      add_page({kKernelPid, field(at.ip) >> kPageShift});
    } else if (mode == abi::misc_bit::User && at.tid != abi::kAbsent && at.tid + 4 <= record.bytes.size()) {
      add_page({load<u32>(record.bytes.data() + at.tid, record.order), field(at.ip) >> kPageShift});
    }
  }

  void add_page(PageHit hit) {
    if (pages_.insert(hit)) fresh_.push_back(hit);
  }

  void add_side_band(const abi::RecordView& record) {
    if (evlist_.empty()) return;
    const auto decoded = abi::decode_side_band(record, evlist_.attr_of(record), scratch_);
    if (!decoded || !*decoded) return;
    if (const auto* map = std::get_if<abi::MmapRecord>(&(*decoded)->body)) {
      add_map(*map, record.cpumode() == abi::misc_bit::Kernel);
    } else if (const auto* fork = std::get_if<abi::ForkRecord>(&(*decoded)->body)) {
      if (fork->pid != fork->parent_pid) parents_[fork->pid] = fork->parent_pid;
    }
  }

  void add_map(const abi::MmapRecord& map, bool kernel) {
    const BuildId id = map.has_build_id ? BuildId::from_bytes(map.build_id) : BuildId();
    u32 dso = 0;
    if (!kernel || !map.filename.starts_with("[kernel.kallsyms]")) {
      const bool file = map.filename.starts_with('/') && !map.filename.starts_with("//anon");
      const bool module = kernel && map.filename.starts_with('[');
      if (!file && !module && map.filename != kVdsoName) return;
      dso = intern(map, kernel, id);
    } else if (!id.empty()) {
      dsos_[0].id = id;
    }
    dsos_[dso].mapped = true;
    ProcessMaps& maps = maps_[kernel ? kKernelPid : map.pid];
    maps.sorted = false;
    maps.ranges.push_back({map.start, map.start + map.length, dso});
  }

  u32 intern(const abi::MmapRecord& map, bool kernel, const BuildId& id) {
    const std::string name(map.filename == kVdsoName ? vdso_name_of_map(map.start + map.length) : map.filename);
    const auto [found, fresh] = by_name_.try_emplace(name, static_cast<u32>(dsos_.size()));
    if (!fresh) return found->second;
    HitDso& dso = dsos_.emplace_back(HitDso{.name = name, .kernel = kernel, .id = id});
    if (kernel || !map.version2 || map.has_build_id) return found->second;
    dso.pid = map.pid;
    dso.major = map.major;
    dso.minor = map.minor;
    dso.inode = map.inode;
    return found->second;
  }

  void mark(const PageHit& hit) {
    const u64 begin = hit.page << kPageShift, end = begin + (u64{1} << kPageShift);
    u32 pid = hit.pid;
    // A child uses its parent's maps until it execs. The limit ends cycles of parents.
    for (int generation = 0; generation < 64; ++generation) {
      if (mark_in(pid, begin, end)) return;
      const auto parent = parents_.find(pid);
      if (parent == parents_.end()) return;
      pid = parent->second;
    }
  }

  bool mark_in(u32 pid, u64 begin, u64 end) {
    const auto found = maps_.find(pid);
    if (found == maps_.end()) return false;
    ProcessMaps& maps = found->second;
    if (!maps.sorted) std::ranges::sort(maps.ranges, {}, &MappedRange::start);
    maps.sorted = true;
    bool any = false;
    for (const MappedRange& range : maps.ranges) {
      if (range.start >= end) break;
      if (range.end > begin) any = dsos_[range.dso].hit = true;
    }
    return any;
  }

  const data::Evlist& evlist_;
  std::vector<HitDso> dsos_;
  std::unordered_map<std::string, u32> by_name_;
  std::unordered_map<u32, ProcessMaps> maps_;
  std::unordered_map<u32, u32> parents_;
  PageSet pages_;
  std::vector<PageHit> fresh_;  // since take_new_hits()
  std::vector<bool> taken_;     // by dso: already returned by take_new_hits() or take_new_maps()
  abi::SideBandScratch scratch_;
  u64 samples_ = 0;
  u64 first_time_ = std::numeric_limits<u64>::max(), last_time_ = 0;
};

HitFinder::HitFinder(const data::Evlist& evlist) : state_(std::make_unique<State>(evlist)) {}
HitFinder::HitFinder(HitFinder&&) noexcept = default;
HitFinder::~HitFinder() = default;
void HitFinder::add(const abi::RecordView& record) { state_->add(record); }
std::vector<HitDso> HitFinder::take_new_hits() { return state_->take_new_hits(); }
std::vector<HitDso> HitFinder::take_new_maps() { return state_->take_new_maps(); }
HitSummary HitFinder::summary() { return state_->summary(); }

Result<HitSummary> find_hit_dsos(data::Reader& reader) {
  HitFinder finder(reader.evlist());
  abi::RecordView record;
  for (;;) {
    auto more = reader.next(record);
    if (!more) return std::unexpected(std::move(more.error()));
    if (!*more) break;
    finder.add(record);
  }
  return finder.summary();
}

}  // namespace peregrine
