// JitDumpBuilder: builds a jit-PID.dump in either byte order, with the records that a test requests.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::support {

class JitDumpBuilder {
 public:
  explicit JitDumpBuilder(u32 pid, ByteOrder order = kHostOrder, u64 flags = 0) : out_(order) {
    out_.put32(0x4a695444).put32(1).put32(40).put32(62).put32(0).put32(pid).put64(0).put64(flags);
  }

  JitDumpBuilder& load(u64 time, u64 address, u64 index, std::string_view name, std::string_view code) {
    const std::size_t start = begin(0, time);
    out_.put32(7).put32(7).put64(address).put64(address).put64(code.size()).put64(index);
    out_.append(name).put8(0).append(code);
    return end(start);
  }
  JitDumpBuilder& move(u64 time, u64 from, u64 to, u64 size, u64 index) {
    const std::size_t start = begin(1, time);
    out_.put32(7).put32(7).put64(to).put64(from).put64(to).put64(size).put64(index);
    return end(start);
  }
  struct Line {
    u64 address;
    u32 line;
    std::string_view file;
  };
  JitDumpBuilder& lines(u64 address, std::initializer_list<Line> lines) {
    const std::size_t start = begin(2, 0);
    out_.put64(address).put64(lines.size());
    for (const Line& line : lines) out_.put64(line.address).put32(line.line).put32(0).append(line.file).put8(0);
    return end(start);
  }
  JitDumpBuilder& unwinding(std::string_view frames, std::string_view header) {
    const std::size_t start = begin(4, 0);
    out_.put64(frames.size() + header.size()).put64(header.size()).put64(frames.size() + header.size());
    out_.append(frames).append(header);
    return end(start);
  }
  JitDumpBuilder& close(u64 time) { return end(begin(3, time)); }
  // For records that no compiler writes.
  ByteWriter& raw() { return out_; }
  std::vector<std::byte> bytes() const { return {out_.bytes().begin(), out_.bytes().end()}; }

 private:
  std::size_t begin(u32 kind, u64 time) {
    const std::size_t start = out_.size();
    out_.put32(kind).put32(0).put64(time);
    return start;
  }
  JitDumpBuilder& end(std::size_t start) {
    out_.patch(start + 4, static_cast<u32>(out_.size() - start));
    return *this;
  }

  ByteWriter out_;
};

}  // namespace peregrine::support
