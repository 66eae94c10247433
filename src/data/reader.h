// Reader: a recording on disk or from a pipe → its header, its events, and its records one after the other.
//
//   path, "-" or fd ─▶ open() ─▶ header(), evlist() ─▶ next() … or Order, which delivers them in time order
//
// Bytes come by pread or read into reusable buffers, never by mmap (a cut mapped file is a SIGBUS, and mapped pages count
// as memory). A view's size and bounds are checked; COMPRESSED records arrive as the records they hold. Not thread safe.
// Format: docs/perf-data.md.
#pragma once
#include <array>
#include <memory>
#include <string>

#include "base/fd.h"
#include "data/evlist.h"
#include "data/header.h"

namespace peregrine::data {

// What was passed over, and where it first happened.
struct SkippedBytes {
  u64 count = 0;         // occurrences
  u64 bytes = 0;
  u64 first_offset = 0;  // in the file
  void add(u64 offset, u64 size) {
    if (count++ == 0) first_offset = offset;
    bytes += size;
  }
};

struct ReadAccount {
  u64 records = 0;                      // delivered, those out of COMPRESSED records included
  u64 bytes = 0;                        // of the file's data read, headers and payloads included
  std::array<u64, 128> by_type{};       // records met by type; those above 127 count under 127
  u64 compressed_bytes = 0, decompressed_bytes = 0;
  SkippedBytes zeroes;                  // holes of zeroes where a record should start
  SkippedBytes bad_size;                // a size below 8: the boundary is lost, reading stopped
  SkippedBytes cut;                     // the last record reaches beyond the end
  SkippedBytes bad_compressed;          // COMPRESSED records that do not decompress
  SkippedBytes bad_header_record;       // HEADER_ATTR, EVENT_UPDATE, … that are not what their format says
  bool unfinished = false;              // the recorder was killed: the header's data size is 0
  u64 missing_bytes = 0;                // the file is that much shorter than its header says
  bool clean() const {
    return zeroes.count + bad_size.count + cut.count + bad_compressed.count + bad_header_record.count == 0 &&
           !unfinished && missing_bytes == 0;
  }
};

class RecordStream;
struct Chunk;

class Reader {
 public:
  // Opens a file, a directory made by `record --threads`, or "-" for standard input. Errors: NotFound, Denied, Malformed
  // (not a perf.data file, or a header that cannot be read).
  static Result<Reader> open(const std::string& path);
  static Result<Reader> open_fd(Fd fd, std::string name);
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

  // Raw bytes of a feature, decoded or not. NotFound when the recording has none.
  Result<std::vector<std::byte>> read_feature(u32 id) const;
  // The payload that follows an AUXTRACE record by its own length. Unsupported in a pipe, where it has passed.
  Result<std::vector<std::byte>> read_payload(const abi::RecordView& record) const;

 private:
  friend class Order;
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine::data
