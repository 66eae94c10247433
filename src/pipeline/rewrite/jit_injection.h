// JitInjection: code that JIT compilers dumped, for readers that know no dumps: each function becomes an ELF file
// beside its dump, and a map of that file in the recording, from the time on at which the code was there.
//
//   look(map of jit-PID.dump) ─▶ jitted-PID-N.so …        due(time) ─▶ MMAP2 records
//
// The map of the dump itself and anonymous code of its process go: they would hide those maps. Fed in time order.
#pragma once
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "abi/side_band.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "machine/jit_code.h"

namespace peregrine {

class JitInjection {
 public:
  // `places` says who must own a dump.
  JitInjection(const data::Reader& reader, SymbolPlaces places) : reader_(reader), places_(std::move(places)) {}

  // Whether the record stays. Errors: times of the recording that are not those of a dump, writing.
  Result<bool> look(const abi::RecordView& record);
  // The maps of code that was there at `time` and that were not given yet.
  std::vector<std::byte> due(u64 time);
  // The build-ids of the files written since the last call.
  std::vector<data::BuildIdEntry> take_build_ids() { return std::exchange(build_ids_, {}); }
  // Dumps that could not be read, in words.
  const std::vector<std::string>& notes() const { return notes_; }
  // Whether no program of the recording has a dump.
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
  // Where the dump is: an open folder, and its path as recorded.
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
  std::unordered_set<u32> pids_;           // that have one
  std::vector<data::BuildIdEntry> build_ids_;
  std::vector<std::string> notes_;
};

}  // namespace peregrine
