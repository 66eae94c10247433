// CopyWriter: writes a copy of a recording to a file or pipe. Bytes are copied unchanged, in the byte order of the
// original; nothing is compressed, completed or reordered.
//
//   begin() ─▶ append()… ─▶ begin_features(sizes) ─▶ append_feature()… ─▶ end()        a pipe ends with its records
//
// Used by `inject`; Writer writes new recordings. Not thread safe. Format: docs/perf-data.md.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
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
  // `fd` must be open for writing and empty. `name` is used in errors. `pipe`: `fd` is not a regular file.
  CopyWriter(Fd fd, std::string name, bool pipe) : fd_(std::move(fd)), name_(std::move(name)), pipe_(pipe) {}

  bool is_pipe() const { return pipe_; }
  // Starts with the result of Reader::read_preamble() for an original with the same layout: header, ids and attrs of a
  // file, or the header of a pipe.
  Result<> begin(Bytes preamble);
  // Writes ids and attrs in the evlist's byte order. A pipe also gets the names of the events, and those of `features`
  // that fit into records.
  Result<> begin(const Evlist& evlist, std::span<const FeatureBytes> features);
  Result<> append(Bytes records);
  // Offset of the next record.
  u64 place() const { return file_.data.offset + file_.data.size; }

  // Writes the features of a file, in ascending order of id: first all sizes, then all bytes. end() completes the
  // file.
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
  std::vector<std::byte> copied_header_;  // original header; fields unknown to us stay unchanged
};

}  // namespace peregrine::data
