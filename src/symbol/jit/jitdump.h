// JitDump: the code that a JIT compiler wrote down while it ran (jit-PID.dump), as an index of that file.
//
//   header │ lines? unwinding? LOAD(name, code) │ MOVE │ … │ CLOSE       each record: kind, size, time
//
// The dso address of dumped code is its place in the dump: so code that lay at one address after another stays apart,
// and the bytes of an instruction are found where its dso address says. Read in pieces, never mapped: a dump may be
// gigabytes, and may still grow. Every bound is checked, in either byte order. Const functions are thread safe.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "symbol/jit/run_time_file.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

// One LOAD record, with the line and unwinding records that belong to it.
struct JitLoad {
  u64 time = 0;
  u64 address = 0;  // where the code was put
  u64 size = 0;
  u64 index = 0;    // the compiler's own number
  u64 code_at = 0;  // place of its bytes in the dump
  u64 lines_at = 0, lines_size = 0, line_count = 0;
  u64 unwinding_at = 0, unwinding_size = 0;  // .eh_frame, then .eh_frame_hdr
  u64 header_size = 0, mapped_size = 0;      // of .eh_frame_hdr; of what the program itself has mapped of both
  u64 name_at = 0;                           // in the index's names
};

// From `time` on the code of loads()[load] lies at `address`.
struct JitPlacement {
  u64 time = 0;
  u64 address = 0;
  u64 size = 0;
  u32 load = 0;
  bool moved = false;  // by a MOVE record
};

struct JitLine {
  u64 address = 0;  // where the code was put
  u32 line = 0;
  u32 discriminator = 0;
  u32 file = 0;  // of JitLines
};
struct JitLines {
  std::vector<JitLine> lines;  // as dumped, mostly ascending
  std::vector<std::string> files;
};

class JitDump {
 public:
  // Errors: those of open_run_time_file(), and Malformed when it does not begin like a dump.
  static Result<JitDump> open(const std::string& path, const FileOwners& owners);
  // Of what was opened, and judged, before.
  static Result<JitDump> from_fd(Fd fd, const std::string& path);
  static Result<JitDump> from_bytes(std::vector<std::byte> bytes, std::string name);

  const std::string& name() const { return path_; }
  u64 size() const { return file_size_; }  // of the file, when it was opened
  ByteOrder order() const { return order_; }
  u16 machine() const { return machine_; }  // EM_*
  u32 pid() const { return pid_; }          // as the program knows itself: inside its pid namespace
  bool times_are_cycles() const { return cycles_; }

  // Ascending by code_at.
  const std::vector<JitLoad>& loads() const { return loads_; }
  // Ascending by time; equal times as in the file.
  const std::vector<JitPlacement>& placements() const { return placements_; }
  std::string_view name(const JitLoad& load) const { return names_.c_str() + load.name_at; }
  // The load whose code covers that place in the dump; null when none does.
  const JitLoad* find(u64 dso_address) const;

  // The bytes at a place in the dump; fewer when they are not there.
  std::vector<std::byte> bytes(u64 place, u64 size) const;
  std::vector<std::byte> code(const JitLoad& load) const { return bytes(load.code_at, load.size); }
  JitLines lines(const JitLoad& load) const;
  // The names of all loads, at their dso addresses.
  SymbolTable symbols() const;

  // Records whose sizes contradict each other, moves of code that was never loaded.
  u64 bad_records() const { return bad_records_; }
  // Whether it ends inside a record: the program still runs, or was killed.
  bool cut() const { return cut_; }

 private:
  class Index;
  JitDump() = default;
  static Result<JitDump> index(JitDump dump);
  std::size_t read(u64 place, std::span<std::byte> out) const;

  std::string path_;
  Fd fd_;
  std::vector<std::byte> image_;  // when there is no descriptor
  u64 file_size_ = 0;
  ByteOrder order_ = kHostOrder;
  u16 machine_ = 0;
  u32 pid_ = 0;
  bool cycles_ = false;
  std::vector<JitLoad> loads_;
  std::vector<JitPlacement> placements_;
  std::string names_;   // each ended by NUL
  u64 line_shift_ = 0;  // V8 says lines as if a 64-byte ELF header stood before each function
  u64 bad_records_ = 0;
  bool cut_ = false;
};

// The process id in the name of a dump ("…/jit-4711.dump"), by which the map of one is known; nothing for other names.
std::optional<u32> jitdump_pid(std::string_view path);

}  // namespace peregrine
