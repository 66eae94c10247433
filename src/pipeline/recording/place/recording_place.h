// RecordingPlace: where a recording in progress is, and how it replaces the previous one.
//
//   claim()   checks PATH and PATH.old and creates a draft next to them; changes nothing existing
//   take()    removes PATH.old, renames PATH to PATH.old and the draft to PATH
//
// Until take() the draft goes away with the object, and everything is as it was. Only recordings are moved or removed
// (recording_entry.h); anything else at PATH or PATH.old is refused by claim(). A link to a recording is moved, not
// followed, as linux-perf does; any other link is followed if it belongs to the user or to root. An empty file of ours,
// a device or a FIFO is written in place. Of two recorders that begin with one PATH at the same time, one fails.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/file/output_place.h"
#include "base/result.h"
#include "base/types.h"
#include "pipeline/recording/place/recording_entry.h"

namespace peregrine {

class RecordingPlace {
 public:
  enum class Shape : u8 { File, Folder };

  static Result<RecordingPlace> claim(const std::string& path, Shape shape);
  RecordingPlace(RecordingPlace&& other) noexcept;
  RecordingPlace& operator=(RecordingPlace&&) = delete;
  ~RecordingPlace();

  // Shape::File: the file, open for reading and writing.
  Result<Fd> file() const;
  // Shape::Folder: the folder itself, even if its name is reused.
  int folder() const { return held_folder_.get(); }
  // The final location, after following links.
  const OutputPlace& place() const { return place_; }
  // Whether it can be renamed: it is a separate file or folder, not a device or an open file of others.
  bool has_name() const { return has_name_; }

  // On error the previous state remains, or the message says what is missing. A second call does nothing.
  Result<> take();
  // After take(): whether the path still leads to this recording. It may have been moved, replaced or removed.
  bool is_in_place() const;
  // Flushes the changes of take() to disk.
  Result<> sync() const;

 private:
  explicit RecordingPlace(OutputPlace place) : place_(std::move(place)) {}
  Result<> settle(Shape shape);
  Result<> open_special(Shape shape, bool link);
  Result<> claim_old();
  Result<> use_empty_file(Shape shape);
  Result<> use_empty_folder(Shape shape);
  Result<> make_draft(Shape shape);
  Result<> put_aside();
  Result<> publish();

  OutputPlace place_;
  RecordingEntry found_;            // at `place_`
  std::optional<OutputPlace> old_;  // PATH.old, if a recording is renamed to it
  RecordingEntry old_found_;
  std::optional<OutputDraft> draft_;
  Fd in_place_;             // written without a draft
  std::string draft_name_;  // of a folder; empty if written in place
  Fd held_folder_;
  bool has_name_ = true, taken_ = false;
};

}  // namespace peregrine
