// JitInjection: adds JIT-compiled code from dumps, for readers without jitdump support: writes each function as an ELF
// file next to its dump, and adds a map of it to the recording, from the time when the code existed.
//
//   look(map of jit-PID.dump) ─▶ jitted-PID-N.so …        due(time) ─▶ MMAP2 records
//
// Drops the dump's own map and anonymous code maps of the process, which would hide these. Fed in time order.
#pragma once
#include <cstddef>
#include <deque>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "machine/jit_code.h"
#include "symbol/jit/jitdump.h"

namespace peregrine {

class JitInjection {
 public:
  // `places` determines who must own a dump.
  JitInjection(const data::Reader& reader, SymbolPlaces places) : reader_(reader), places_(std::move(places)) {}

  // Whether to keep the record. Errors: the recording's clock is not the dump's, or writing.
  Result<bool> look(const abi::RecordView& record);
  // The maps of code that existed at `time`, not yet returned.
  std::vector<std::byte> due(u64 time);
  // The build-ids of the files written since the last call.
  std::vector<data::BuildIdEntry> take_build_ids() { return std::exchange(build_ids_, {}); }
  // Descriptions of dumps that could not be read.
  const std::vector<std::string>& notes() const { return notes_; }
  // Whether no process in the recording has a dump.
  bool idle() const { return feeds_.empty() && notes_.empty(); }

 private:
  struct Feed {
    JitDump dump;
    u32 pid = 0, tid = 0;
    struct File {
      std::string name;  // as the program would name it; empty: no code
      u64 device = 0, inode = 0;
    };
    std::vector<File> files;  // by load
    std::size_t next = 0;
  };
  // The dump's location: an open folder and its recorded path.
  struct Folder {
    Fd here;
    std::string recorded;
  };
  Result<JitDump> open_dump(const std::string& path, const abi::MmapRecord& record, Folder& folder) const;
  Result<> begin(const abi::MmapRecord& record);
  Result<> write_files(Feed& feed, const Folder& folder);
  void put_map(const Feed& feed, const JitPlacement& placement, u64 time, ByteWriter& out) const;

  const data::Reader& reader_;
  SymbolPlaces places_;
  JitClock clock_;
  abi::SideBandScratch scratch_;
  std::deque<Feed> feeds_;
  std::unordered_set<std::string> begun_;  // dumps, by path
  std::unordered_set<u32> pids_;           // processes with a dump
  std::vector<data::BuildIdEntry> build_ids_;
  std::vector<std::string> notes_;
};

}  // namespace peregrine
