// CtfFolder: the output folder of a CTF trace, which appears there completely or not at all.
//
// The streams of two traces in one folder would be useless, so the folder must be new or empty; with `force`, an old
// trace is replaced, and other files stay. The new files have draft names until all are complete, so a
// failure leaves the old ones. Drafts are in the same folder, not in a subfolder, because Landlock before Linux
// 5.19 does not allow moving files between folders. Files are removed and renamed in the folder that prepare() opened,
// even if its path changes later. Drafts of a killed process (draft_mark.h) do not count as files; prepare()
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
  // Makes the folder and its parents. Errors: it has other files and `force` is not given, or a file has the name of a
  // trace file but is something else (Denied).
  static Result<CtfFolder> prepare(const std::string& folder, bool force);
  CtfFolder(CtfFolder&& other) noexcept;
  CtfFolder& operator=(CtfFolder&&) = delete;
  // Unless take() was called: removes the drafts and the folders that it made.
  ~CtfFolder();

  // Prefix of the paths of the trace's files.
  std::string prefix() const;
  // Call when all files are complete: they replace the old trace.
  Result<> take();

 private:
  explicit CtfFolder(std::string folder) : folder_(std::move(folder)) {}
  std::string in_folder(const std::string& name) const;
  // The final names of the drafts. Errors: the folder cannot be read.
  Result<std::vector<std::string>> drafts() const;
  std::string draft_of(const std::string& name) const;
  Result<> find_old(bool force);

  std::string folder_;
  Fd held_;                        // the folder
  std::optional<DraftMark> mark_;  // prefix of all draft names
  std::vector<std::string> made_;  // parent folders, which are removed again on failure
  std::vector<std::string> old_;   // the files of the replaced trace
};

}  // namespace peregrine
