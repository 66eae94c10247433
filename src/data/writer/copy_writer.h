// CopyWriter: writes a copy of a recording to a file or pipe. Bytes are copied unchanged, in the byte order of the
// original; nothing is compressed, completed or reordered.
//
//   begin() ─▶ append()… ─▶ begin_features(sizes) ─▶ append_feature()… ─▶ end()        a pipe ends with its records
//
// Used by `inject`; Writer writes new recordings. Not thread safe. Format: docs/perf-data.md.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "data/header/evlist.h"
#include "data/header/file_header.h"

namespace peregrine::data {

struct FeatureSize {
  u32 id = 0;
  u64 size = 0;
};
struct FeatureBytes {
  u32 id = 0;
  std::vector<std::byte> bytes;
};

class CopyWriter {
 public:
  // `fd` is open for writing and empty; `name` is for errors. `pipe`: it is no regular file.
  CopyWriter(Fd fd, std::string name, bool pipe) : fd_(std::move(fd)), name_(std::move(name)), pipe_(pipe) {}

  bool is_pipe() const { return pipe_; }
  // What Reader::read_preamble() gave of an original of the same layout: header, ids and attrs of a file, the header of
  // a pipe.
  Result<> begin(Bytes preamble);
  // Ids and attrs in the evlist's byte order. A pipe also gets the names of the events, and of `features` those that
  // fit into records.
  Result<> begin(const Evlist& evlist, std::span<const FeatureBytes> features);
  Result<> append(Bytes records);
  // Where the next record will stand.
  u64 place() const { return file_.data.offset + file_.data.size; }

  // The features of a file, ascending by id: first all sizes, then all bytes. end() completes the file.
  Result<> begin_features(std::span<const FeatureSize> sizes);
  Result<> append_feature(Bytes piece) { return write(piece); }
  Result<> end();

 private:
  Result<> write(Bytes bytes);
  Result<> begin_file(const Evlist& evlist);
  Result<> begin_pipe(const Evlist& evlist, std::span<const FeatureBytes> features);
  std::vector<std::byte> header() const;

  Fd fd_;
  std::string name_;
  bool pipe_;
  FileHeader file_;
  std::vector<std::byte> copied_header_;  // of the original: what is not known here stays as it was
};

}  // namespace peregrine::data
