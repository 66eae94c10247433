// CtfFolder: the folder that a CTF trace is written into, so that it is complete or not there.
//
// Streams of two traces in one folder are neither, so the folder must be new or empty, or, with `force`, loses the
// trace that it holds; other files in it stay. The files of the new trace have draft names until all are complete: what
// fails leaves what was there. They are drafts in the same folder, not in one beneath it, because Landlock before Linux
// 5.19 lets no file move from one folder to another. What is removed or renamed is in the folder that prepare() opened,
// whatever has its path later. Drafts of a process that was killed (draft_mark.h) do not count as files; prepare()
// removes them.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/file/draft_mark.h"
#include "base/result.h"

namespace peregrine {

class CtfFolder {
 public:
  // Makes the folder, and those on the way. Errors: other files are there and `force` is not given, or a file with the
  // name of a trace's that is none (Denied).
  static Result<CtfFolder> prepare(const std::string& folder, bool force);
  CtfFolder(CtfFolder&& other) noexcept;
  CtfFolder& operator=(CtfFolder&&) = delete;
  // Without take(): removes the drafts and the folders that it made.
  ~CtfFolder();

  // What the paths of the trace's files begin with.
  std::string prefix() const;
  // All files are complete: they take the place of the old trace.
  Result<> take();

 private:
  explicit CtfFolder(std::string folder) : folder_(std::move(folder)) {}
  std::string in_folder(const std::string& name) const;
  // The names that the drafts are to get. Errors: the folder cannot be read.
  Result<std::vector<std::string>> drafts() const;
  std::string draft_of(const std::string& name) const;
  Result<> find_old(bool force);

  std::string folder_;
  Fd held_;                        // the folder
  std::optional<DraftMark> mark_;  // begins the names of all drafts
  std::vector<std::string> made_;  // folders on the way, which a failure removes again
  std::vector<std::string> old_;   // the files of the trace that is replaced
};

}  // namespace peregrine
