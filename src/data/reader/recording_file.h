// RecordingFile: the file or folder of a recording, opened once and checked by its descriptor.
//
//   open_recording_file(path) ─▶ RecordingFile ─▶ Reader::open_file()
//
// A check of a path proves nothing about the file that a later open(2) finds. So everything is opened first and checked
// afterwards, and the files of a recording's folder are opened relative to that folder's descriptor. Opening a FIFO
// does not block.
#pragma once
#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/judged_file.h"

namespace peregrine::data {

struct RecordingFile {
  std::string name;
  Fd main;             // the file itself, or "data" of a folder
  struct stat status;  // of `main`
  bool folder = false;
  std::vector<Fd> further;  // data.0, data.1, … of a folder
  Fd kallsyms, kcore;       // the kernel's symbols and code, of kcore_dir in a folder; empty: not recorded
  bool regular() const { return S_ISREG(status.st_mode); }
};

// Errors: NotFound, System; Denied with linux-perf's text when a file or the folder belongs to somebody who is not
// trusted, and when a file of a folder is not a regular one, or its kcore_dir not a folder. A pipe without a name is
// anybody's: who passed it to us chose it. Waits for the writer of a FIFO that is trusted.
Result<RecordingFile> open_recording_file(const std::string& path, TrustedOwner owner);
// A file that belongs to a recording, such as an archive of its binaries: regular, and judged in the same way.
Result<Fd> open_file_beside(const std::string& path, TrustedOwner owner);

}  // namespace peregrine::data
