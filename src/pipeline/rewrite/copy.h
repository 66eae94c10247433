// RecordingCopy: rewrites a recording with as few changes as the two layouts allow, in the same byte order.
//
//   begin(): everything before the records ─▶ put(record)… flush()… ─▶ finish(changed features)
//
// From file to file, everything before the records and all features are copied byte for byte; from pipe to pipe, all
// records. Otherwise HEADER_* records become sections, or sections records. COMPRESSED records arrive decompressed, so
// the COMPRESSED feature is dropped. Records wait in memory until flush(). Not thread safe.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header.h"
#include "data/reader/reader.h"
#include "data/writer/copy_writer.h"

namespace peregrine {

// Changes to the original's features.
struct FeatureEdits {
  std::vector<u32> left_out;
  std::map<u32, std::vector<std::byte>> changed;  // replaces the original's contents
};

class RecordingCopy {
 public:
  using FeatureMap = std::map<u32, std::vector<std::byte>>;

  // Whether the reader's events are the original ones, or more; Changed: all traces have been removed.
  enum class Attrs : u8 { Original, More, Changed };

  // `reader` must outlive this. Errors: writing, or features that cannot be copied.
  static Result<RecordingCopy> begin(data::Reader& reader, data::CopyWriter writer, Attrs attrs = Attrs::Original,
                                     FeatureEdits edits = {});

  bool to_pipe() const { return writer_.is_pipe(); }
  // Copies a record of the original. The payload of an AUXTRACE record is read from the reader, which must have just
  // returned the record, unless the view contains the payload.
  Result<> put(const abi::RecordView& record);
  // Adds a new or changed record.
  void add(Bytes record) { waiting_.insert(waiting_.end(), record.begin(), record.end()); }
  // Adds a FINISHED_ROUND: everything so far is in order.
  void add_round();
  // Number of bytes waiting.
  std::size_t waiting() const { return waiting_.size(); }
  // Writes `first`, then the waiting bytes.
  Result<> flush(Bytes first = {});
  // Writes the waiting bytes and, for a file, the features, replaced by those in `changed`.
  Result<> finish(const FeatureMap& changed);
  // Descriptions of what could not be copied.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  RecordingCopy(data::Reader& reader, data::CopyWriter writer, Attrs attrs, FeatureEdits edits)
      : reader_(&reader), writer_(std::move(writer)), attrs_(attrs), edits_(std::move(edits)) {}
  bool from_pipe() const { return reader_->header().layout == data::Layout::Pipe; }
  Result<> begin_output();
  Result<> begin_pipe();
  bool leaves_out(u32 feature) const;
  bool keep_header_record(const abi::RecordView& record);
  bool keep_old_feature(const abi::RecordView& record);
  Result<> put_payload(const abi::RecordView& record);
  Result<FeatureMap> features_made_here() const;
  std::vector<std::byte> moved_index() const;
  std::vector<std::byte> index_of_pipe() const;
  Result<> write_features(const FeatureMap& changed);

  data::Reader* reader_;
  data::CopyWriter writer_;
  Attrs attrs_;
  FeatureEdits edits_;
  std::vector<std::byte> waiting_;
  FeatureMap received_;  // for a pipe that becomes a file
  struct Moved {
    u64 from = 0, to = 0;
    std::size_t size = 0;
  };
  std::vector<Moved> traces_;  // AUXTRACE records: old and new location, without payload
  bool same_preamble_ = false;
  std::size_t events_ = 0;  // described before the first record
  std::vector<std::string> notes_;
};

}  // namespace peregrine
