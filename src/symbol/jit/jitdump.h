// JitDump: an index of the code that a JIT compiler dumped while it ran (jit-PID.dump).
//
//   header │ lines? unwinding? LOAD(name, code) │ MOVE │ … │ CLOSE       each record: kind, size, time
//
// The dso address of dumped code is its offset in the dump: this keeps code apart that occupied the same address at
// different times, and finds the bytes of an instruction. Read in pieces, never mapped, since a dump may be gigabytes
// and still growing. Supports both byte orders; every bound is checked. Const functions are thread safe.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/judged_file.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

// One LOAD record, with its line and unwinding records.
struct JitLoad {
  u64 time = 0;
  u64 address = 0;  // where the code ran
  u64 size = 0;
  u64 index = 0;    // the compiler's own number
  u64 code_at = 0;  // offset of its bytes in the dump
  u64 lines_at = 0, lines_size = 0, line_count = 0;
  u64 unwinding_at = 0, unwinding_size = 0;  // .eh_frame, then .eh_frame_hdr
  u64 header_size = 0, mapped_size = 0;      // of .eh_frame_hdr; of the part of both that the program mapped
  u64 name_at = 0;                           // offset in the index's names
};

// From `time` on, the code of loads()[load] is at `address`.
struct JitPlacement {
  u64 time = 0;
  u64 address = 0;
  u64 size = 0;
  u32 load = 0;
  bool moved = false;  // by a MOVE record
};

struct JitLine {
  u64 address = 0;  // where the code ran
  u32 line = 0;
  u32 discriminator = 0;
  u32 file = 0;  // index into JitLines::files
};
struct JitLines {
  std::vector<JitLine> lines;  // as dumped, mostly ascending
  std::vector<std::string> files;
};

class JitDump {
 public:
  // Errors: those of open_run_time_file(); Malformed if it has no jitdump header.
  static Result<JitDump> open(const std::string& path, const FileOwners& owners);
  // For a file that was already opened and checked.
  static Result<JitDump> from_fd(Fd fd, const std::string& path);
  static Result<JitDump> from_bytes(std::vector<std::byte> bytes, std::string name);

  const std::string& name() const { return path_; }
  u64 size() const { return file_size_; }  // file size when opened
  ByteOrder order() const { return order_; }
  u16 machine() const { return machine_; }  // EM_*
  u32 pid() const { return pid_; }          // in the program's own pid namespace
  bool times_are_cycles() const { return cycles_; }

  // Ascending by code_at.
  const std::vector<JitLoad>& loads() const { return loads_; }
  // Ascending by time; equal times are in file order.
  const std::vector<JitPlacement>& placements() const { return placements_; }
  std::string_view name(const JitLoad& load) const { return names_.c_str() + load.name_at; }
  // The load with code at that offset of the dump; null if none.
  const JitLoad* find(u64 dso_address) const;

  // Bytes at an offset of the dump; fewer if it ends before.
  std::vector<std::byte> bytes(u64 place, u64 size) const;
  std::vector<std::byte> code(const JitLoad& load) const { return bytes(load.code_at, load.size); }
  JitLines lines(const JitLoad& load) const;
  // The names of all loads, by dso address.
  SymbolTable symbols() const;

  // Records with contradicting sizes, and moves of code that was never loaded.
  u64 bad_records() const { return bad_records_; }
  // Whether it ends inside a record: the program is still running, or was killed.
  bool cut() const { return cut_; }

 private:
  class Index;
  JitDump() = default;
  static Result<JitDump> index(JitDump dump);
  std::size_t read(u64 place, std::span<std::byte> out) const;

  std::string path_;
  Fd fd_;
  std::vector<std::byte> image_;  // if there is no descriptor
  u64 file_size_ = 0;
  ByteOrder order_ = kHostOrder;
  u16 machine_ = 0;
  u32 pid_ = 0;
  bool cycles_ = false;
  std::vector<JitLoad> loads_;
  std::vector<JitPlacement> placements_;
  std::string names_;   // each ended by NUL
  u64 line_shift_ = 0;  // V8 records lines as if a 64-byte ELF header preceded each function
  u64 bad_records_ = 0;
  bool cut_ = false;
};

// The process id in a dump's file name ("…/jit-4711.dump"), which identifies its map; nothing for other names.
std::optional<u32> jitdump_pid(std::string_view path);

}  // namespace peregrine
