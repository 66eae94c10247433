// OutputFile and create_output: the two ways in which commands open the files that they write (recordings:
// pipeline/recording).
//
//   OutputFile       a page, a picture, a table: complete or absent. It is written as a draft (output_place.h), and
//                    finish() gives it its name; without finish() the draft is removed and an existing file stays.
//   create_output()  files that people follow while they grow, or that are appended to: script -o, trace -o, stat -o.
//
// New files are private to their owner. Our own file is truncated or appended to; a file that somebody else owns, or
// that has another hard link, is replaced by a new one and not written to. OutputPlace says which symbolic links are
// followed; an open file (/dev/stdout) is appended to. Other kinds (a terminal, a FIFO, /dev/null) are opened, except
// block devices, and another user's FIFO in a folder that everybody may write to.
//
// What is plainly something else (content_kind.h: a program, a script, an archive) is neither truncated, replaced nor
// appended to, since the name was mistyped. Text is: it may be what the command wrote before.
#pragma once
#include <string>

#include "base/bytes.h"
#include "base/file/content_kind.h"
#include "base/file/output_place.h"

namespace peregrine {

enum class Existing : u8 {
  Truncate,
  Append,
  KeepOld,  // create_output() only: a file that is not empty becomes NAME.old, over an older one; else as Truncate
  Refuse,   // System, EEXIST; with a hint where Truncate would not overwrite the file either
};

struct OutputRequest {
  Existing existing = Existing::Truncate;
  unsigned mode = kPrivateMode;  // of a new file
  // What is written: an older file of this kind may be replaced, too.
  ContentKind written = ContentKind::Other;
  // Whether a file that begins with these bytes (kContentBytes, or all it has) is a recording, which stays as well.
  bool (*is_precious)(Bytes beginning) = nullptr;
};

// Opened for writing, and empty. Errors name the path: System or NotFound as open(2) says it, Denied for what is said
// above.
Result<Fd> create_output(const std::string& path, const OutputRequest& request = {});

class OutputFile {
 public:
  // Errors as create_output(). A file of ours keeps its mode and group. It is truncated and written in place, as by
  // create_output(), if no draft can be like it: in a folder that is closed to us, where something is mounted, of a
  // group that is not ours to give.
  static Result<OutputFile> create(const std::string& path, const OutputRequest& request = {});

  int fd() const { return fd_.get(); }
  // The file is complete. Errors leave what was there.
  Result<> finish();

 private:
  OutputFile(OutputPlace place, const OutputRequest& request) : place_(std::move(place)), request_(request) {}
  Result<> open_existing(const struct stat& found);
  Result<> open_draft(const struct stat* replaced);

  OutputPlace place_;  // behind links
  OutputRequest request_;
  Fd fd_;
  std::optional<OutputDraft> draft_;  // unset: written in place
};

// Opens what is no regular file, `found` by status(): a terminal, a device, a FIFO within five seconds that somebody
// reads, and by a link in /proc an open file, which is appended to. Errors: as check_special_file(); System for a FIFO
// that nobody reads.
Result<Fd> open_special_file(const OutputPlace& place, const struct stat& found);
// Denied: a file that is not regular, and must not be written to by the rules above.
Result<> check_special_file(const OutputPlace& place, const struct stat& status);

}  // namespace peregrine
