// RecordingCopy: a recording written again with as little change as the two layouts allow, in the same byte order.
//
//   begin(): what stands before the records ─▶ put(record)… flush()… ─▶ finish(changed features)
//
// File to file, everything before the records and every feature goes over byte for byte; pipe to pipe, every record.
// Between the two, HEADER_* records become sections, and sections become records. COMPRESSED records arrive taken
// apart, so the COMPRESSED feature is left out. Records wait in memory until flush(). Not thread safe.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "data/reader/reader.h"
#include "data/writer/copy_writer.h"

namespace peregrine {

// What becomes of the original's features.
struct FeatureEdits {
  std::vector<u32> left_out;
  std::map<u32, std::vector<std::byte>> changed;  // their bytes, in place of the original's
};

class RecordingCopy {
 public:
  using FeatureMap = std::map<u32, std::vector<std::byte>>;

  // Whether the reader's events are still those of the original, or there are more; with Changed no trace is left.
  enum class Attrs : u8 { Original, More, Changed };

  // The reader must live as long. Errors: writing, an original whose features cannot be copied.
  static Result<RecordingCopy> begin(data::Reader& reader, data::CopyWriter writer, Attrs attrs = Attrs::Original,
                                     FeatureEdits edits = {});

  bool to_pipe() const { return writer_.is_pipe(); }
  // Takes a record of the original; what follows an AUXTRACE record is fetched from the reader, which must have
  // delivered that record last, or be in the view.
  Result<> put(const abi::RecordView& record);
  // Takes a record that was made here, or one that was changed.
  void add(Bytes record) { waiting_.insert(waiting_.end(), record.begin(), record.end()); }
  // A FINISHED_ROUND: what was put so far is in order.
  void add_round();
  // Bytes that wait to be written.
  std::size_t waiting() const { return waiting_.size(); }
  // Writes `first`, then what waits.
  Result<> flush(Bytes first = {});
  // Writes what waits, and in a file the features: those of `changed` instead of the original's.
  Result<> finish(const FeatureMap& changed);
  // What could not be taken over, in words.
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
  FeatureMap received_;  // of a pipe that becomes a file
  struct Moved {
    u64 from = 0, to = 0;
    std::size_t size = 0;
  };
  std::vector<Moved> traces_;  // AUXTRACE records: where each was and is now, without its payload
  bool same_preamble_ = false;
  std::size_t events_ = 0;  // described before the first record
  std::vector<std::string> notes_;
};

}  // namespace peregrine
