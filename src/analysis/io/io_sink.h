// IoSink: follows I/O of processes through the kernel: system calls, the page cache, writeback and block requests, and
// assigns each event to a process, a file and an operation.
//
//   sys_enter read(3) ─▶ mm_filemap_add_to_page_cache ─▶ block_bio_queue ─▶ mm_filemap_get_pages ─▶ sys_exit
//        │                   │ added                        │ request             │ looked up
//        └───────────────────┴─────────┬────────────────────┴─────────────────────┘
//                       process, file of descriptor 3, read
//
// Events between the two ends of a call on the same thread belong to it. Descriptors have paths from file-names samples
// (`record --file-names`); an inode has the path of the descriptor by which it was read. Block requests complete
// in any context: BlockRequests finds them again. One worker.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "abi/sample.h"
#include "analysis/block/block_event.h"
#include "analysis/block/block_requests.h"
#include "analysis/field/recorded_tracepoints.h"
#include "analysis/io/file_calls.h"
#include "analysis/io/io_files.h"
#include "analysis/io/io_row.h"
#include "analysis/trace/call_assembler.h"
#include "analysis/trace/open_files.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/syscall/call.h"
#include "event/syscall/signature.h"
#include "sys/process/process.h"

namespace peregrine {

class IoSink : public TracepointSink, private CallReader {
 public:
  struct Request {
    std::vector<Pid> processes;                   // with their children; empty: all
    Pid recorder = -1;                            // or the programs that this process started, from their exec; -1: all
    std::function<u32(u32)> disk_of;              // the disk of a partition
    std::function<std::string(u32)> device_name;  // by number
    BlockTaker taker = {};                        // gets each event of block I/O, with its file
  };
  IoSink(const data::Reader& reader, abi::SyscallSet set, Request request);
  IoSink(const IoSink&) = delete;
  IoSink& operator=(const IoSink&) = delete;

  void begin_batch() override;
  bool needs_samples_of(u32 event) const override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  std::bitset<128> records() const override;
  // Errors: broken formats; Unsupported, the recording has no such events.
  Result<> outcome() const override;

  // Of the wanted processes, and what the kernel wrote back later of the files that they used.
  std::vector<IoRow> rows() const;
  // What the recording lacks.
  struct Gaps {
    bool calls = false, names = false, lookups = false, cache = false, block = false;
    u64 vectors = 0;  // calls with an unknown number of requested bytes
  };
  Gaps gaps() const;

 private:
  struct Added {
    IoInode inode;
    u64 first = 0, last = 0;  // pages
  };
  struct Thread {
    const FileCall* call = nullptr;  // in progress
    u32 file = 0;                    // of the call, if has_file
    bool has_file = false;
    bool has_recent = false;   // page-cache event since the call began, or since it ended
    u32 recent = 0;            // its file
    IoInode inode;             // that the call looked up,
    u64 first = 0, next = 0;   // from this page up to the one before `next`,
    u64 looked_up = 0;         // so many pages
    std::vector<Added> added;  // by the call
    std::string name;          // of the file being opened
    i64 descriptor = -1;
  };
  struct Process {
    Pid pid = 0;
    std::string comm;
    bool wanted = true;
  };
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  bool call(const TracedCall& call) override;
  bool interrupted(const TracedCall&) override { return true; }
  void name(i32, i32, std::string_view) override {}

  void enter(const abi::Sample& sample);
  void leave(const abi::Sample& sample);
  void take_name(const abi::Sample& sample);
  void take_lookup(const TracepointView& view, const abi::Sample& sample);
  void take_added(const TracepointView& view, const abi::Sample& sample);
  void take_fault(const TracepointView& view, const abi::Sample& sample);
  void take_dirtied(const TracepointView& view, const abi::Sample& sample);
  void take_writeback(const TracepointView& view, const abi::Sample& sample);
  void take_block(const BlockEvent& event);
  void label_request(BlockRequest& request, const BlockEvent& event);
  void count_lookups(const Thread& thread, u64 requested, u64 returned, IoSums& sums) const;
  // Of a writeback event; null if the page cache did not name it before.
  const IoInode* written_inode(const TracepointView& view) const;
  u32 file_of(Thread& thread, const IoInode& inode);
  u32 called_file(const TracedCall& call, const FileCall& kind, u8 argument);
  u32 requested_file(const Thread& thread);
  u32 process_of(Pid pid);
  u32 row_of(Pid pid, u32 file, IoOperation operation);
  IoSums& sums_of(Pid pid, u32 file, IoOperation operation) { return rows_[row_of(pid, file, operation)].sums; }
  bool is_wanted(Pid pid) const;

  struct Row {
    u32 process = 0, file = 0;
    IoOperation operation = IoOperation::Read;
    IoSums sums;
  };
  const data::Reader& reader_;
  Request request_;
  Signatures wide_, narrow_;
  FileCalls calls_;
  OpenFiles open_files_;
  CallAssembler assembler_;
  BlockRequests requests_;
  BlockSink blocks_;
  IoFiles files_;
  std::unordered_map<u32, Thread> threads_;
  std::vector<Process> processes_;
  std::unordered_map<Pid, u32> process_now_;
  std::unordered_map<Pid, std::string> comms_;
  std::unordered_set<Pid> wanted_, held_;  // `held_`: started by the recorder, before their exec
  std::vector<Row> rows_;
  std::map<std::tuple<u32, u32, IoOperation>, u32> row_places_;
  std::vector<bool> name_events_;  // by event
  u64 vectors_ = 0, names_ = 0;
  u32 page_size_ = 4096;
};

}  // namespace peregrine
