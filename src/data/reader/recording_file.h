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
#include "base/result.h"

namespace peregrine::data {

struct RecordingFile {
  std::string name;
  Fd main;             // the file itself, or "data" of a folder
  struct stat status;  // of `main`
  bool folder = false;
  std::vector<Fd> further;  // data.0, data.1, … of a folder
  Fd kallsyms, kcore;       // kernel symbols and code from the folder's kcore_dir; empty if not recorded
  bool regular() const { return S_ISREG(status.st_mode); }
};

// Errors: NotFound and System; Denied with linux-perf's text if the owner of a file or the folder is not trusted, and
// if a part of the folder is not a regular file or its kcore_dir not a folder. An unnamed pipe may belong to anybody,
// because our caller chose it. Waits for the writer of a trusted FIFO.
Result<RecordingFile> open_recording_file(const std::string& path, TrustedOwner owner);
// Opens a regular file that belongs to a recording, such as an archive of its binaries, with the same checks.
Result<Fd> open_file_beside(const std::string& path, TrustedOwner owner);

}  // namespace peregrine::data
