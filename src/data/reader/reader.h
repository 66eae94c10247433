// Reader: opens a recording on disk or from a pipe and gives its header, its events, and its records one by one.
//
//   path, "-" or fd ─▶ open() ─▶ header(), evlist() ─▶ next() … or Order, which delivers them in time order
//
// Bytes are read with pread or read into reused buffers, never with mmap (a truncated file would raise SIGBUS, and
// mapped pages count as memory). A view's size and bounds are checked; COMPRESSED records are delivered decompressed.
// Not thread safe. Format: docs/perf-data.md.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "abi/record.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
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
  // Reads files that are already open and checked; looks at no path again.
  static Result<Reader> open(RecordingFile file);
  static Result<Reader> open_fd(Fd fd, std::string name);
  // Opens a second reader of the same open files, from the start. Unsupported for a pipe.
  Result<Reader> open_again() const;
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  const std::string& path() const;
  const Header& header() const;
  // In a pipe, both grow as records are read. After open() they include everything before the first kernel record.
  const Evlist& evlist() const;
  Evlist& evlist();

  // Gets the next record in file order, including FINISHED_ROUND and other user records. Returns false at the end. The
  // view is valid until the next call. HEADER_* records of a pipe are applied to header() and evlist() before they are
  // delivered.
  Result<bool> next(abi::RecordView& record);
  const ReadAccount& account() const;
  // Whether the features of this pipe came as records 69 to 80: the feature's number plus 66.
  bool has_old_numbers() const;

  // Returns the raw bytes of a feature, decoded or not. NotFound: the recording does not have it.
  Result<std::vector<std::byte>> read_feature(u32 id) const;
  // Same in pieces, for features of any size. Also returns the errors of `take`.
  Result<> stream_feature(u32 id, const std::function<Result<>(Bytes)>& take) const;
  // Returns the bytes before the first record, which a copy starts with, if header, attrs and ids are all there.
  // Otherwise returns an empty vector.
  Result<std::vector<std::byte>> read_preamble() const;
  // Returns the payload that follows an AUXTRACE record. Unsupported in a pipe, where it has passed.
  Result<std::vector<std::byte>> read_payload(const abi::RecordView& record) const;
  // Returns the payload of the last record from next() in pieces; works for files and pipes. Empty at the end.
  // Invalidates the record's view.
  Bytes next_payload();
  u64 payload_size() const;  // bytes that next_payload() has left

 private:
  friend class Order;
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  Result<> add_files(std::vector<Fd> files);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine::data
