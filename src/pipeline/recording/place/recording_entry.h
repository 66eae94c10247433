// RecordingEntry: classifies an existing name, to decide whether a new recording may move or remove it.
//
// A recording is a file with the magic number of perf.data, or a folder that contains only `data` (such a file),
// `data.N` and `kcore_dir`. Anything else is the user's data and is neither moved nor removed.
#pragma once
#include <sys/stat.h>

#include <string>

#include "base/file/output_place.h"
#include "base/result.h"
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
  struct stat status{};  // of the name itself; unset if Nothing
  std::string why = {};  // Foreign: why it is not a recording

  // Whether removing it loses at most a recording.
  bool is_removable() const { return kind != Kind::OtherLink && kind != Kind::Special && kind != Kind::Foreign; }
};

inline bool is_same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

Result<RecordingEntry> judge_entry(const OutputPlace& place);
// Removes what judge_entry() found, by the names a recording has; keeps a folder that got other files meanwhile, and
// anything replaced meanwhile. Does nothing for Nothing.
Result<> remove_entry(const OutputPlace& place, const RecordingEntry& entry);
// Removes what a recording's folder may contain; keeps other names.
Result<> remove_folder_contents(int folder);
// Removes the recording at that path or place. Denied: it is not a recording.
Result<> remove_recording(const std::string& path);
Result<> remove_recording(const OutputPlace& place);

}  // namespace peregrine
