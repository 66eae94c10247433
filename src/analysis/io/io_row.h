// IoRow: what one process did with one file by one kind of operation, from the system call down to the disk; and the
// tree of such rows, grouped by keys. Pure.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace peregrine {

// Fault: pages of mapped files and programs, and everything else outside of these calls. Writeback: written by a thread
// of the kernel, later.
enum class IoOperation : u8 { Open, Read, Write, Sync, Fault, Writeback };
inline constexpr std::array<std::string_view, 6> kIoOperations = {"open", "read",  "write",
                                                                  "sync", "fault", "writeback"};

struct IoSums {
  u64 calls = 0, errors = 0;            // system calls, or page faults
  u64 requested = 0, returned = 0;      // bytes
  u64 time = 0;                         // in calls, ns
  u64 hits = 0, misses = 0;             // pages that reads looked up in the page cache
  u64 added = 0;                        // pages added to the page cache, with those read ahead
  u64 dirtied = 0;                      // folios of one or more pages
  u64 requests = 0, request_bytes = 0;  // queued for disks
  u64 request_time = 0;                 // from queueing to completion, ns

  void add(const IoSums& other);
};

struct IoRow {
  std::string process, file;
  IoOperation operation = IoOperation::Read;
  IoSums sums;
};

enum class IoKey : u8 { Process, File, Operation };
inline constexpr std::array<std::string_view, 3> kIoKeys = {"process", "file", "operation"};

// What rows are sorted by, largest first.
struct IoOrder {
  std::string_view name;
  u64 IoSums::* value;
};
inline constexpr std::array kIoOrders{
    IoOrder{"time", &IoSums::time},
    IoOrder{"calls", &IoSums::calls},
    IoOrder{"errors", &IoSums::errors},
    IoOrder{"requested", &IoSums::requested},
    IoOrder{"returned", &IoSums::returned},
    IoOrder{"hits", &IoSums::hits},
    IoOrder{"misses", &IoSums::misses},
    IoOrder{"added", &IoSums::added},
    IoOrder{"dirtied", &IoSums::dirtied},
    IoOrder{"requests", &IoSums::requests},
    IoOrder{"disk-bytes", &IoSums::request_bytes},
    IoOrder{"disk-time", &IoSums::request_time},
};

struct IoNode {
  std::string label;  // a value of the key of this depth
  IoSums sums;
  std::vector<IoNode> parts;  // by the next key
};
// `keys`: at least one. The root has no label and the sums of all rows.
IoNode make_io_tree(std::span<const IoRow> rows, std::span<const IoKey> keys, const IoOrder& order);

}  // namespace peregrine
