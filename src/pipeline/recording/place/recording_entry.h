// RecordingEntry: what has a name in a folder, as far as a new recording may move or remove it.
//
// A recording is a file that begins with the magic number of perf.data, or a folder that holds nothing but `data` (such
// a file), `data.N` and `kcore_dir`. Everything else is somebody's data: it is neither moved nor removed.
#pragma once
#include <string>

#include "base/file/output_place.h"
#include "base/types.h"

namespace peregrine {

struct RecordingEntry {
  enum class Kind : u8 {
    Nothing,
    EmptyFile,
    EmptyFolder,
    File,          // a recording
    Folder,        // a recording
    Link,          // to a recording
    DanglingLink,  // to nothing
    OtherLink,
    Special,  // a device, FIFO or socket
    Foreign,
  };
  Kind kind = Kind::Nothing;
  struct stat status{};  // of the name itself; nothing: unset
  std::string why = {};  // Foreign: why it is no recording

  // Nothing is lost when it is removed but a recording.
  bool is_removable() const { return kind != Kind::OtherLink && kind != Kind::Special && kind != Kind::Foreign; }
};

inline bool is_same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

Result<RecordingEntry> judge_entry(const OutputPlace& place);
// Removes what judge_entry() found, by the names that a recording has: a folder that gets another file meanwhile stays,
// and so does what was exchanged meanwhile. Nothing: does nothing.
Result<> remove_entry(const OutputPlace& place, const RecordingEntry& entry);
// Removes what a recording's folder may hold. Other names stay.
Result<> remove_folder_contents(int folder);
// Removes the recording of that path or place. Denied: it is not a recording.
Result<> remove_recording(const std::string& path);
Result<> remove_recording(const OutputPlace& place);

}  // namespace peregrine
