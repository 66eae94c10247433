#include "pipeline/rewrite/jit_injection.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>

#include "abi/session_record.h"
#include "machine/run_time_place.h"
#include "symbol/jit_image.h"

namespace peregrine {
namespace {

constexpr i32 kMonotonic = 1;
constexpr u32 kExecutable = 4;

// Beside a dump anybody may have put links: a new file each time.
Result<> write_new_file(const std::string& path, Bytes bytes) {
  ::unlink(path.c_str());
  auto fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
  if (!fd) return std::unexpected(std::move(fd.error()));
  return write_all(fd->get(), bytes.data(), bytes.size());
}

std::string folder_of(std::string_view path) { return std::string(path.substr(0, path.rfind('/') + 1)); }

bool is_executable(const abi::MmapRecord& record) {
  return record.version2 ? (record.protection & kExecutable) != 0 : !record.data;
}

JitClock::Conversion conversion_of(const abi::TimeConvRecord& read) {
  return {read.shift, read.multiplier, read.zero, read.cycles, read.cap_short ? read.mask : 0};
}

}  // namespace

Result<bool> JitInjection::look(const abi::RecordView& record) {
  if (record.type == abi::RecordType::TimeConv) {
    const auto decoded = abi::decode_session_record(record);
    const auto* read = decoded && *decoded ? std::get_if<abi::TimeConvRecord>(&**decoded) : nullptr;
    if (read != nullptr) clock_.cycles = conversion_of(*read);
    return true;
  }
  if (record.type != abi::RecordType::Mmap && record.type != abi::RecordType::Mmap2) return true;
  if (reader_.evlist().empty() || record.cpumode() == abi::misc_bit::Kernel) return true;
  const auto decoded = abi::decode_side_band(record, reader_.evlist().attr_of(record), scratch_);
  const auto* map = decoded && *decoded ? std::get_if<abi::MmapRecord>(&(*decoded)->body) : nullptr;
  if (map == nullptr || !is_executable(*map)) return true;
  if (map->filename.starts_with("//anon")) return !pids_.contains(map->pid);
  if (!jitdump_pid(map->filename)) return true;
  PEREGRINE_TRY(begin(*map));
  return !begun_.contains(std::string(map->filename));
}

Result<> JitInjection::begin(const abi::MmapRecord& record) {
  const std::string recorded(record.filename);
  if (begun_.contains(recorded)) return {};
  std::string why;
  for (const std::string& path : jitdump_places(places_, record.pid, recorded)) {
    auto dump = JitDump::open(path, places_.run_time_file_reader());
    if (!dump) {
      why = dump.error().message;
      continue;
    }
    if (dump->pid() != *jitdump_pid(recorded)) {
      why = fmt::format("{}: written by process {}", path, dump->pid());
      continue;
    }
    clock_.monotonic = reader_.evlist().all_use_clock(kMonotonic);
    if (!clock_.compares(*dump)) {
      return std::unexpected(Error{ErrorKind::Unsupported,
                                   fmt::format("{}: its times are not those of the recording", path),
                                   "record with -k mono when code of a JIT compiler is to be added"});
    }
    Feed& feed = feeds_.emplace_back(Feed{std::move(*dump), record.pid, record.tid, {}, 0});
    begun_.insert(recorded);
    pids_.insert(record.pid);
    return write_files(feed, {folder_of(path), folder_of(recorded)});
  }
  notes_.push_back(std::move(why));
  return {};
}

Result<> JitInjection::write_files(Feed& feed, const Folder& folder) {
  std::unordered_set<std::string> taken;
  for (const JitLoad& load : feed.dump.loads()) {
    std::string& file = feed.files.emplace_back();
    if (load.size == 0) continue;
    std::string name = fmt::format("jitted-{}-{}.so", feed.dump.pid(), load.index);
    // The compiler's numbers should differ; where they do not, the second function must not replace the first.
    if (!taken.insert(name).second)
      name = fmt::format("jitted-{}-{}-{}.so", feed.dump.pid(), load.index, feed.files.size());
    const JitImage image = jit_function_image(feed.dump, load);
    PEREGRINE_TRY(write_new_file(folder.here + name, image.bytes));
    file = folder.recorded + name;
    build_ids_.push_back({.misc = abi::misc_bit::User, .pid = -1, .id = image.id, .name = file});
  }
  return {};
}

std::vector<std::byte> JitInjection::due(u64 time) {
  ByteWriter out(reader_.header().order);
  for (Feed& feed : feeds_) {
    const auto& placements = feed.dump.placements();
    for (; feed.next < placements.size(); ++feed.next) {
      const u64 placed = clock_.recorded_time(feed.dump, placements[feed.next].time);
      if (placed > time) break;
      put_map(feed, placements[feed.next], placed, out);
    }
  }
  return out.take();
}

void JitInjection::put_map(const Feed& feed, const JitPlacement& placement, u64 time, ByteWriter& out) const {
  constexpr u32 kMapShared = 1, kRegular = 0100644;
  const std::string& file = feed.files[placement.load];
  if (file.empty() || placement.size == 0) return;
  const JitLoad& load = feed.dump.loads()[placement.load];
  struct stat status{};
  ::stat(file.c_str(), &status);
  // The unwind tables stand behind the code where the program has mapped them too.
  const u64 tables = load.mapped_size != 0 ? (placement.size + 7) / 8 * 8 - placement.size + load.mapped_size : 0;
  const std::size_t start = out.size();
  out.put32(static_cast<u32>(abi::RecordType::Mmap2)).put16(abi::misc_bit::User).put16(0);
  out.put32(feed.pid).put32(feed.tid).put64(placement.address).put64(placement.size + tables).put64(kJitTextAt);
  out.put32(major(status.st_dev)).put32(minor(status.st_dev)).put64(status.st_ino).put64(1);
  out.put32(kRegular).put32(kMapShared).append(file).zeros(8 - file.size() % 8);
  abi::SampleId id;
  id.pid = feed.pid;
  id.tid = feed.tid;
  id.time = time;
  if (!reader_.evlist()[0].ids.empty()) id.id = reader_.evlist()[0].ids.front();
  abi::encode_sample_id(id, reader_.evlist()[0].attr, out);
  if (out.size() - start > 0xffff) return out.truncate(start);
  out.patch(start + 6, static_cast<u16>(out.size() - start));
}

}  // namespace peregrine
