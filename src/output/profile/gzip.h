// GzipWriter: streams bytes into a sink as one gzip member.
#pragma once
#include <memory>
#include <string_view>

#include "output/sink.h"

namespace peregrine {

class GzipWriter {
 public:
  explicit GzipWriter(Sink& out);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void append(std::string_view bytes) { deflate(bytes, false); }
  // Call once, after the last byte.
  void finish() { deflate({}, true); }

 private:
  struct Stream;
  void deflate(std::string_view bytes, bool last);
  Sink& out_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace peregrine
