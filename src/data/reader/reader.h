// Reader: a recording on disk or from a pipe → its header, its events, and its records one after the other.
//
//   path, "-" or fd ─▶ open() ─▶ header(), evlist() ─▶ next() … or Order, which delivers them in time order
//
// Bytes are read with pread or read into reused buffers, never with mmap (a truncated file would raise SIGBUS, and
// mapped pages count as memory). A view's size and bounds are checked; COMPRESSED records are delivered decompressed.
// Not thread safe. Format: docs/perf-data.md.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/fd.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "data/reader/recording_file.h"
#include "data/stream/account.h"

namespace peregrine::data {

class Reader {
 public:
  // Opens a file, a directory made by `record --threads`, or "-" for standard input. Errors: NotFound, Denied,
  // Malformed (not a perf.data file, or a header that cannot be read).
  static Result<Reader> open(const std::string& path);
  // The same of what was opened, and judged, before: no path is looked at again.
  static Result<Reader> open(RecordingFile file);
  static Result<Reader> open_fd(Fd fd, std::string name);
  // A second reader of the same open files, from the start. Unsupported for a pipe.
  Result<Reader> open_again() const;
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  const std::string& path() const;
  const Header& header() const;
  // In a pipe both grow while records are read; everything before the first kernel record is in after open().
  const Evlist& evlist() const;
  Evlist& evlist();

  // The next record in file order, FINISHED_ROUND and other user records included. False at the end. The view is valid
  // until the next call. HEADER_* records of a pipe have been applied to header() and evlist() when they are delivered.
  Result<bool> next(abi::RecordView& record);
  const ReadAccount& account() const;
  // The features of this pipe came as records 69 to 80: 66 more than the feature's number.
  bool has_old_numbers() const;

  // Raw bytes of a feature, decoded or not. NotFound when the recording has none.
  Result<std::vector<std::byte>> read_feature(u32 id) const;
  // The same in pieces, for features of any size. Errors: those of `take`, too.
  Result<> stream_feature(u32 id, const std::function<Result<>(Bytes)>& take) const;
  // The bytes before the first record, when header, attrs and ids all lie there: what a copy begins with. Empty when
  // they do not.
  Result<std::vector<std::byte>> read_preamble() const;
  // The payload that follows an AUXTRACE record by its own length. Unsupported in a pipe, where it has passed.
  Result<std::vector<std::byte>> read_payload(const abi::RecordView& record) const;
  // The same of the record that next() gave last, in pieces, of files and pipes; empty at its end. Takes the place of
  // the record's view.
  Bytes next_payload();
  u64 payload_size() const;  // what next_payload() will still give

 private:
  friend class Order;
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  Result<> add_files(std::vector<Fd> files);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine::data
