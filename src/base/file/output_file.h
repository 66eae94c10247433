// OutputFile and create_output: the two ways for commands to open files for writing (recordings: pipeline/recording).
//
//   OutputFile       for a page, a picture, a table: complete or absent. It is written as a draft (output_place.h), and
//                    finish() renames it; without finish() the draft is removed and an existing file stays.
//   create_output()  for files that people follow as they grow, or that are appended to: script -o, trace -o, stat -o.
//
// New files are private to their owner. Our own file is truncated or appended to. A file that belongs to another user,
// or that has another hard link, is replaced by a new one and never written to. OutputPlace defines which symbolic
// links are followed. An open file (/dev/stdout) is appended to. Other kinds (a terminal, a FIFO, /dev/null) are
// opened, except block devices, and another user's FIFO in a world-writable folder.
//
// A file of an obviously different kind (content_kind.h: a program, a script, an archive) is left alone, because its
// name was probably mistyped. Text is overwritten: the command may have written it before.
#pragma once
#include <sys/stat.h>

#include <optional>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/file/content_kind.h"
#include "base/file/output_place.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class Existing : u8 {
  Truncate,
  Append,
  KeepOld,  // create_output() only: rename a non-empty file to NAME.old, replacing an older one; else as Truncate
  Refuse,   // System, EEXIST; with a hint if Truncate would not overwrite the file either
};

struct OutputRequest {
  Existing existing = Existing::Truncate;
  unsigned mode = kPrivateMode;  // of new files
  // Kind of the new contents: an older file of this kind may be replaced, too.
  ContentKind written = ContentKind::Other;
  // Whether a file that starts with these bytes (kContentBytes, or the whole file) is a recording, which must stay as
  // well.
  bool (*is_precious)(Bytes beginning) = nullptr;
};

// Opens an empty file for writing. Errors name the path: System or NotFound from open(2), Denied by the rules above.
Result<Fd> create_output(const std::string& path, const OutputRequest& request = {});

// For commands that work for a while before they write: whether create_output() or OutputFile could write the file.
// Changes nothing. Errors as create_output().
Result<> check_output_file(const std::string& path, const OutputRequest& request = {});

class OutputFile {
 public:
  // Errors as create_output(). A file of ours keeps its mode and group. If a draft cannot get the same properties, the
  // file is truncated and written in place, as by create_output(): in a folder that we cannot write to, on a mount
  // point, or with a group that we may not set.
  static Result<OutputFile> create(const std::string& path, const OutputRequest& request = {});

  int fd() const { return fd_.get(); }
  // Completes the file. After an error, the old file is still there.
  Result<> finish();

 private:
  OutputFile(OutputPlace place, const OutputRequest& request) : place_(std::move(place)), request_(request) {}
  Result<> open_existing(const struct stat& found);
  Result<> open_draft(const struct stat* replaced);

  OutputPlace place_;  // with links resolved
  OutputRequest request_;
  Fd fd_;
  std::optional<OutputDraft> draft_;  // unset: written in place
};

// Opens a file that is not regular, `found` by status(): a terminal, a device, or a FIFO, waiting five seconds for its
// reader. A link in /proc leads to an open file, which is appended to. Errors: as check_special_file(); System for a
// FIFO without a reader.
Result<Fd> open_special_file(const OutputPlace& place, const struct stat& found);
// Denied: the rules above forbid writing to this special file.
Result<> check_special_file(const OutputPlace& place, const struct stat& status);

}  // namespace peregrine
