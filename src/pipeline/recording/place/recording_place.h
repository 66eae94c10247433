// RecordingPlace: where a recording in the making is, and how it takes the place of the one before.
//
//   claim()   judges PATH and PATH.old and makes a draft beside them; nothing that was there changes
//   take()    PATH.old is removed, PATH becomes PATH.old, the draft becomes PATH
//
// Until take() the draft goes away with the object, and everything is as it was. Only recordings are moved or removed
// (recording_entry.h); anything else at PATH or PATH.old is refused by claim(). A link to a recording is moved, not
// followed, as linux-perf does; any other link is followed if it belongs to the user or to root. An empty file of ours,
// a device or a FIFO is written in place.
#pragma once
#include <optional>
#include <string>

#include "pipeline/recording/place/recording_entry.h"

namespace peregrine {

class RecordingPlace {
 public:
  enum class Shape : u8 { File, Folder };

  static Result<RecordingPlace> claim(const std::string& path, Shape shape);
  RecordingPlace(RecordingPlace&& other) noexcept;
  RecordingPlace& operator=(RecordingPlace&&) = delete;
  ~RecordingPlace();

  // Shape::File: the file, for reading and writing.
  Result<Fd> file() const;
  // Shape::Folder: the folder itself, whatever has its name.
  int folder() const { return held_folder_.get(); }
  // Where it is: behind the links that were followed.
  const OutputPlace& place() const { return place_; }
  // A file or folder of its own, not a device or somebody's open file: it can be renamed.
  bool has_name() const { return has_name_; }

  // An error leaves what was there before, or says what is missing. The second call does nothing.
  Result<> take();
  // What take() did reaches the disk.
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
  std::optional<OutputPlace> old_;  // PATH.old, when a recording is put aside
  RecordingEntry old_found_;
  std::optional<OutputDraft> draft_;
  Fd in_place_;             // what is written without a draft
  std::string draft_name_;  // of a folder; empty: it is written in place
  Fd held_folder_;
  bool has_name_ = true, taken_ = false;
};

}  // namespace peregrine
