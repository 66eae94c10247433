#include "capture/synthesis/process.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/build_id.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/synthesis/record_encoder.h"
#include "symbol/elf/build_id.h"

namespace peregrine {
namespace {

namespace misc = abi::misc_bit;

void put_comm(const ProcessSynthesis& what, Pid pid, Pid tid, std::string_view comm, ByteWriter& out) {
  RecordEncoder record(out, abi::RecordType::Comm, 0);
  record.body().put32(static_cast<u32>(pid)).put32(static_cast<u32>(tid));
  record.text(comm);
  record.end(what.trailer_size);
}

void put_fork(const ProcessSynthesis& what, Pid pid, Pid tid, Pid parent, ByteWriter& out) {
  RecordEncoder record(out, abi::RecordType::Fork, misc::ForkExec);
  record.body().put32(static_cast<u32>(pid)).put32(static_cast<u32>(parent));
  record.body().put32(static_cast<u32>(tid)).put32(static_cast<u32>(parent)).put64(0);
  record.end(what.trailer_size);
}

// Build-ids of one process's files: a file is mapped several times but read only once.
using BuildIdMemo = std::unordered_map<std::string, BuildId>;

BuildId build_id_of(const Root& root, std::string_view path, BuildIdMemo& memo) {
  if (!path.starts_with('/')) return {};
  const auto [found, fresh] = memo.try_emplace(std::string(path));
  if (fresh) {
    if (auto id = read_build_id(root.path(path))) found->second = *id;
  }
  return found->second;
}

void put_map(const Root& root, const ProcessSynthesis& what, Pid pid, const MapLine& map, BuildIdMemo& memo,
             bool timed_out, ByteWriter& out) {
  const bool code = (map.prot & PROT_EXEC) != 0;
  if (!code && (!what.data_maps || (map.prot & PROT_READ) == 0)) return;
  const BuildId id = what.build_ids ? build_id_of(root, map.path, memo) : BuildId();
  const u16 flags = static_cast<u16>((code ? 0 : misc::MmapData) | (id ? misc::MmapBuildId : 0) |
                                     (timed_out ? misc::ProcMapParseTimeout : 0));
  RecordEncoder record(out, abi::RecordType::Mmap2, static_cast<u16>(misc::User | flags));
  auto& body = record.body();
  body.put32(static_cast<u32>(pid)).put32(static_cast<u32>(pid));
  body.put64(map.start).put64(map.end - map.start).put64(map.offset);
  if (id) {
    body.put8(id.size).put8(0).put16(0).append(std::as_bytes(std::span(id.bytes)));
  } else {
    body.put32(map.major).put32(map.minor).put64(map.inode).put64(0);
  }
  body.put32(map.prot).put32(map.flags);
  const bool huge = map.path.starts_with("/anon_hugepage");
  record.text(map.path.empty() || huge ? std::string_view("//anon") : map.path);
  record.end(what.trailer_size);
}

// Returns false if the process exists but its maps cannot be read. A process that has exited has no maps.
bool put_maps(const Root& root, const ProcessSynthesis& what, Pid pid, ByteWriter& out) {
  if (!what.maps) return true;
  BuildIdMemo memo;
  bool timed_out = false;
  const auto started = std::chrono::steady_clock::now();
  const Result<> outcome = for_each_map(root, pid, [&](const MapLine& map) {
    // The map at which the time ran out is still written, marked, so that readers can tell that others are missing.
    if (timed_out) return;
    timed_out = what.map_timeout_ms != 0 &&
                std::chrono::steady_clock::now() - started > std::chrono::milliseconds(what.map_timeout_ms);
    put_map(root, what, pid, map, memo, timed_out, out);
  });
  if (outcome || outcome.error().kind == ErrorKind::NotFound || outcome.error().system_errno == ESRCH) return true;
  return !status_of(root, pid);
}

void put_namespaces(const Root& root, const ProcessSynthesis& what, Pid pid, Pid tid, ByteWriter& out) {
  if (!what.namespaces) return;
  constexpr u64 kCount = 7;
  RecordEncoder record(out, abi::RecordType::Namespaces, 0);
  record.body().put32(static_cast<u32>(pid)).put32(static_cast<u32>(tid)).put64(kCount);
  for (const char* name : {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"}) {
    struct stat64 status{};
    (void)::stat64(root.path(fmt::format("/proc/{}/ns/{}", pid, name)).c_str(), &status);
    record.body().put64(status.st_dev).put64(status.st_ino);
  }
  record.end(what.trailer_size);
}

// Adds one process of -a with its threads and maps. Returns the result of put_maps().
bool put_process(const Root& root, const ProcessSynthesis& what, Pid pid, ByteWriter& out) {
  bool read = true;
  for (const Pid tid : threads_of(root, pid)) {
    const auto status = status_of(root, tid);
    if (!status) continue;
    const Pid parent = tid == pid ? status->ppid : pid;
    // FORK first: readers create the thread by it, and its name and maps belong to that thread.
    put_fork(what, pid, tid, parent, out);
    put_namespaces(root, what, pid, tid, out);
    put_comm(what, pid, tid, status->comm, out);
    if (tid == pid && !status->kernel_thread) read = put_maps(root, what, pid, out);
  }
  return read;
}

// Adds a chosen thread (-p, -t). Returns the result of put_maps().
bool put_chosen(const Root& root, const ProcessSynthesis& what, Pid tid, Pid tgid, bool with_main, ByteWriter& out) {
  const auto status = status_of(root, tid);
  if (!status) return true;
  put_namespaces(root, what, tgid, tid, out);
  put_comm(what, tgid, tid, status->comm, out);
  if (tid == tgid) return put_maps(root, what, tgid, out);
  if (!with_main) return true;
  const auto main = status_of(root, tgid);
  if (!main) return true;
  put_comm(what, tgid, tgid, main->comm, out);
  return put_maps(root, what, tgid, out);
}

// Runs `each(index, buffer)` for [0, count) on the pool and appends the buffers in index order. Returns the indices for
// which `each` returned false, in order.
template <class Each>
std::vector<std::size_t> gather(WorkerPool& pool, std::size_t count, ByteWriter& out, const Each& each) {
  constexpr std::size_t kChunk = 32;
  struct Part {
    ByteWriter bytes;
    std::vector<std::size_t> refused;
  };
  std::vector<Part> parts((count + kChunk - 1) / kChunk);
  pool.run(parts.size(), [&](std::size_t part, unsigned) {
    const std::size_t end = std::min(count, (part + 1) * kChunk);
    for (std::size_t index = part * kChunk; index < end; ++index)
      if (!each(index, parts[part].bytes)) parts[part].refused.push_back(index);
  });
  std::vector<std::size_t> refused;
  for (const Part& part : parts) {
    out.append(part.bytes.bytes());
    refused.insert(refused.end(), part.refused.begin(), part.refused.end());
  }
  return refused;
}

}  // namespace

std::vector<Pid> synthesize_all_processes(const Root& root, const ProcessSynthesis& what, WorkerPool& pool,
                                          ByteWriter& out) {
  const auto pids = all_processes(root);
  std::vector<Pid> unread;
  for (const std::size_t index : gather(pool, pids.size(), out, [&](std::size_t at, ByteWriter& part) {
         return put_process(root, what, pids[at], part);
       }))
    unread.push_back(pids[index]);
  return unread;
}

std::vector<Pid> synthesize_threads(const Root& root, const ProcessSynthesis& what, const std::vector<Pid>& threads,
                                    WorkerPool& pool, ByteWriter& out) {
  struct Chosen {
    Pid tid = 0, tgid = 0;
    bool with_main = false;
  };
  std::vector<Chosen> chosen;
  std::vector<Pid> mains;
  for (const Pid tid : threads) {
    const auto status = status_of(root, tid);
    if (!status) continue;
    const Pid tgid = status->tgid > 0 ? status->tgid : tid;
    const bool listed = std::ranges::binary_search(threads, tgid) || std::ranges::find(mains, tgid) != mains.end();
    if (!listed) mains.push_back(tgid);
    chosen.push_back({tid, tgid, !listed});
  }
  std::vector<Pid> unread;
  for (const std::size_t index : gather(pool, chosen.size(), out, [&](std::size_t at, ByteWriter& part) {
         return put_chosen(root, what, chosen[at].tid, chosen[at].tgid, chosen[at].with_main, part);
       }))
    unread.push_back(chosen[index].tgid);
  return unread;
}

void synthesize_workload(const Root& root, const ProcessSynthesis& what, Pid pid, std::string_view comm,
                         ByteWriter& out) {
  put_comm(what, pid, pid, comm, out);
  put_namespaces(root, what, pid, pid, out);
}

}  // namespace peregrine
