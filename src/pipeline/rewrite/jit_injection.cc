#include "pipeline/rewrite/jit_injection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/session_record.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/file/output_place.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/run_time_place.h"
#include "symbol/jit/jit_image.h"
#include "symbol/jit/jitdump.h"
#include "symbol/jit/run_time_file.h"

namespace peregrine {
namespace {

constexpr i32 kMonotonic = 1;
constexpr u32 kExecutable = 4;

// Always creates a new file and renames it when it is complete, because others may have put links next to a dump, and a
// reader may have mapped the old file.
Result<struct stat> write_new_file(int folder, const std::string& name, Bytes bytes) {
  auto draft = OutputDraft::create(folder, name, 0644);
  if (!draft) return std::unexpected(std::move(draft.error()));
  struct stat status{};
  Result<> written = write_all(draft->fd(), bytes.data(), bytes.size());
  if (written && ::fstat(draft->fd(), &status) != 0) written = fail_errno("fstat");
  if (!written) return fail(written.error().kind, "{}: {}", name, written.error().message);
  PEREGRINE_TRY(draft->take(true));
  return status;
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

// Opens the dump relative to the folder that receives its functions, so that both are in the same folder even if
// somebody changes the path.
Result<JitDump> JitInjection::open_dump(const std::string& path, const abi::MmapRecord& record, Folder& folder) const {
  const std::string above = folder_of(path), name = path.substr(above.size());
  auto here = open_file(above.empty() ? "." : above, O_RDONLY | O_DIRECTORY);
  if (!here) return std::unexpected(std::move(here.error()));
  auto fd = open_run_time_file(here->get(), name, path, places_.run_time_file_owners(record.pid));
  if (!fd) return std::unexpected(std::move(fd.error()));
  folder.here = std::move(*here);
  folder.recorded = folder_of(record.filename);
  return JitDump::from_fd(std::move(*fd), path);
}

Result<> JitInjection::begin(const abi::MmapRecord& record) {
  const std::string recorded(record.filename);
  if (begun_.contains(recorded)) return {};
  std::string why;
  for (const std::string& path : jitdump_places(places_, record.pid, recorded)) {
    Folder folder;
    auto dump = open_dump(path, record, folder);
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
      return std::unexpected(Error{ErrorKind::Unsupported, fmt::format("{}: clock differs from the recording's", path),
                                   "record with -k mono to add JIT-compiled code"});
    }
    Feed& feed = feeds_.emplace_back(Feed{std::move(*dump), record.pid, record.tid, {}, 0});
    begun_.insert(recorded);
    pids_.insert(record.pid);
    return write_files(feed, folder);
  }
  notes_.push_back(std::move(why));
  return {};
}

Result<> JitInjection::write_files(Feed& feed, const Folder& folder) {
  std::unordered_set<std::string> taken;
  for (const JitLoad& load : feed.dump.loads()) {
    Feed::File& file = feed.files.emplace_back();
    if (load.size == 0) continue;
    std::string name = fmt::format("jitted-{}-{}.so", feed.dump.pid(), load.index);
    // Function numbers should be unique; if they are not, the second function must not replace the first.
    if (!taken.insert(name).second)
      name = fmt::format("jitted-{}-{}-{}.so", feed.dump.pid(), load.index, feed.files.size());
    const JitImage image = jit_function_image(feed.dump, load);
    const auto written = write_new_file(folder.here.get(), name, image.bytes);
    if (!written) return std::unexpected(written.error());
    file = {folder.recorded + name, written->st_dev, written->st_ino};
    build_ids_.push_back({.misc = abi::misc_bit::User, .pid = -1, .id = image.id, .name = file.name});
  }
  return {};
}

// Placements are sorted by time, and `next` only moves on: each is written once, before the first record that is
// later.
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
  const Feed::File& file = feed.files[placement.load];
  if (file.name.empty() || placement.size == 0) return;
  const JitLoad& load = feed.dump.loads()[placement.load];
  // The unwind tables follow the code if the program has mapped them too.
  const u64 tables = load.mapped_size != 0 ? (placement.size + 7) / 8 * 8 - placement.size + load.mapped_size : 0;
  const std::size_t start = out.size();
  out.put32(static_cast<u32>(abi::RecordType::Mmap2)).put16(abi::misc_bit::User).put16(0);
  out.put32(feed.pid).put32(feed.tid).put64(placement.address).put64(placement.size + tables).put64(kJitTextAt);
  out.put32(major(file.device)).put32(minor(file.device)).put64(file.inode).put64(1);
  out.put32(kRegular).put32(kMapShared).append(file.name).zeros(8 - file.name.size() % 8);
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
