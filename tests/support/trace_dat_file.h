// TraceDatFile: a trace.dat file of one ring buffer, by hand: as trace-cmd writes versions 6 and 7 (uncompressed), in
// either byte order, with longs of 4 or 8 bytes.
//
//   TraceDatFile file(Endian::Big, 4);
//   file.event(1, 1000, 300, 7, {42});           CPU 1, 1000 ns: tracepoint 300, thread 7, nr=42
//   file.bytes(6);
//
// Its tracepoints are sched:one (300) with the number `nr`, and ftrace's kernel_stack (4) and function (1).
#pragma once
#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "support/byte_buffer.h"

namespace peregrine::support {

class TraceDatFile {
 public:
  explicit TraceDatFile(Endian endian = Endian::Little, u32 long_size = 8) : endian_(endian), long_(long_size) {
    option(4, text_value("local [mono] boot\n"));
    option(5, text_value("Linux here 6.1.0 x86_64"));
  }

  TraceDatFile& option(u16 id, const ByteBuffer& value) {
    options_.emplace_back(id, value.bytes());
    return *this;
  }
  ByteBuffer value() const { return ByteBuffer(endian_); }
  ByteBuffer text_value(std::string_view text) const {
    ByteBuffer value(endian_);
    value.text(text).zeros(1);
    return value;
  }

  // Numbers are 32 bits.
  TraceDatFile& event(u32 cpu, u64 time, u16 id, u32 tid, const std::vector<u32>& numbers) {
    ByteBuffer data(endian_);
    for (const u32 number : numbers) data.put32(number);
    return raw_event(cpu, time, id, tid, data);
  }
  TraceDatFile& stack(u32 cpu, u64 time, u32 tid, const std::vector<u64>& addresses) {
    ByteBuffer data(endian_);
    data.put32(addresses.size()).zeros(long_ - 4);
    for (const u64 address : addresses) data.put(address, long_);
    return raw_event(cpu, time, 4, tid, data);
  }
  // The next event's page says that events were lost before. `time`: the page's if no event follows.
  TraceDatFile& lost(u32 cpu, u64 count, u64 time = 0) {
    pages_[cpu].push_back({.time = time, .lost = count});
    return *this;
  }
  // An event with an impossible length in the current page.
  TraceDatFile& damage(u32 cpu) {
    Page& page = pages_[cpu].back();
    ByteBuffer out(endian_);
    page.events = out.append(page.events).put32(0).put32(1).bytes();
    return *this;
  }
  void set_kallsyms(std::string text) { kallsyms_ = std::move(text); }

  std::vector<std::byte> bytes(unsigned version) const { return version == 7 ? version_7() : version_6(); }

  static constexpr u32 kPageSize = 4096;

 private:
  struct Page {
    u64 time = 0, last = 0, lost = 0;
    std::vector<std::byte> events = {};
  };

  TraceDatFile& raw_event(u32 cpu, u64 time, u16 id, u32 tid, const ByteBuffer& data) {
    auto& pages = pages_[cpu];
    if (pages.empty()) pages.emplace_back();
    Page& page = pages.back();
    if (page.events.empty()) page.time = page.last = time;
    const u64 delta = time - page.last;
    ByteBuffer out(endian_);
    out.append(page.events);
    const auto header = [&](u32 type, u64 low) {
      out.put32(endian_ == Endian::Little ? type | low << 5 : u64{type} << 27 | low);
    };
    header(30, delta & 0x7ffffff);
    out.put32(delta >> 27);
    header(0, 0);
    out.put32(4 + 8 + data.size()).put16(id).put16(0).put32(tid).append(data.bytes());
    page.events = out.bytes();
    page.last = time;
    return *this;
  }

  std::string header_page() const {
    return fmt::format(
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t "
        "commit;\toffset:8;\tsize:{};\tsigned:1;\n"
        "\tfield: char data;\toffset:{};\tsize:{};\tsigned:0;\n",
        long_, 8 + long_, kPageSize - 8 - long_);
  }
  std::string format(std::string_view name, u32 id, std::string_view fields, std::string_view print) const {
    return fmt::format(
        "name: {}\nID: {}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n{}\nprint fmt: {}\n",
        name, id, fields, print);
  }

  // header_page and header_event; ftrace's formats; formats; symbols; printk formats; names.
  std::vector<std::vector<std::byte>> parts() const {
    std::vector<ByteBuffer> parts(6, ByteBuffer(endian_));
    const auto sized = [](ByteBuffer& out, std::string_view text) { out.put64(text.size()).text(text); };
    parts[0].text("header_page").zeros(1);
    sized(parts[0], header_page());
    parts[0].text("header_event").zeros(1);
    sized(parts[0], "type_len\n");
    parts[1].put32(2);
    sized(parts[1], format("kernel_stack", 4,
                           fmt::format("\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
                                       "\tfield:unsigned long caller[8];\toffset:{};\tsize:{};\tsigned:0;\n",
                                       long_ == 8 ? 16 : 12, 8 * long_),
                           "\"%ps\", (void *)REC->caller[0]"));
    sized(parts[1], format("function", 1,
                           fmt::format("\tfield:unsigned long ip;\toffset:8;\tsize:{0};\tsigned:0;\n"
                                       "\tfield:unsigned long parent_ip;\toffset:{1};\tsize:{0};\tsigned:0;\n",
                                       long_, 8 + long_),
                           "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip"));
    parts[2].put32(1).text("sched").zeros(1).put32(1);
    sized(parts[2], format("one", 300, "\tfield:int nr;\toffset:8;\tsize:4;\tsigned:1;\n", "\"nr=%d\", REC->nr"));
    parts[3].put32(kallsyms_.size()).text(kallsyms_);
    parts[4].put32(0);
    sized(parts[5], "7 worker\n8 other name\n");
    std::vector<std::vector<std::byte>> bytes;
    for (const ByteBuffer& part : parts) bytes.push_back(part.bytes());
    return bytes;
  }

  ByteBuffer opening(std::string_view version) const {
    ByteBuffer out(endian_);
    out.put(0x17, 1).put(0x08, 1).put(0x44, 1).text("tracing").text(version).zeros(1);
    out.put(endian_ == Endian::Big ? 1 : 0, 1).put(long_, 1).put32(kPageSize);
    return out;
  }
  void put_options(ByteBuffer& out) const {
    for (const auto& [id, value] : options_) out.put16(id).put32(value.size()).append(value);
  }
  void put_pages(u32 cpu, ByteBuffer& out) const {
    constexpr u64 kMissed = u64{3} << 30;
    for (const Page& page : pages_.at(cpu)) {
      const std::size_t begin = out.size();
      out.put64(page.time).put(page.events.size() | (page.lost != 0 ? kMissed : 0), long_).append(page.events);
      out.put(page.lost, long_).zeros(kPageSize - (out.size() - begin));
    }
  }
  u32 cpus() const { return pages_.empty() ? 1 : pages_.rbegin()->first + 1; }

  std::vector<std::byte> version_6() const {
    ByteBuffer out = opening("6");
    for (const auto& part : parts()) out.append(part);
    out.put32(cpus()).text("options  ").zeros(1);
    put_options(out);
    out.put16(0).text("flyrecord").zeros(1);
    u64 at = (out.size() + 16 * cpus() + kPageSize - 1) / kPageSize * kPageSize;
    for (u32 cpu = 0; cpu < cpus(); ++cpu) {
      const u64 size = pages_.contains(cpu) ? pages_.at(cpu).size() * kPageSize : 0;
      out.put64(at).put64(size);
      at += size;
    }
    out.align(kPageSize);
    for (const auto& [cpu, pages] : pages_) put_pages(cpu, out);
    return out.bytes();
  }

  // opening, "none", the place of the options | parts | pages | options
  std::vector<std::byte> version_7() const {
    ByteBuffer body(endian_), options(endian_);
    const u64 start = opening("7").size() + 5 + 2 + 8;
    const auto place = [&] { return start + body.size(); };
    const auto put_place = [&](u16 id) { options.put16(id).put32(8).put64(place()); };
    u16 id = 16;
    for (const auto& part : parts()) {
      put_place(id);
      body.put16(id++).put16(0).put32(0).put64(part.size()).append(part);
    }
    ByteBuffer buffer(endian_);
    buffer.put64(place()).zeros(1).text("mono").zeros(1).put32(kPageSize).put32(pages_.size());
    body.put16(3).put16(0).put32(0).put64(0);
    for (const auto& [cpu, pages] : pages_) {
      buffer.put32(cpu).put64(place()).put64(pages.size() * kPageSize);
      put_pages(cpu, body);
    }
    options.put16(3).put32(buffer.size()).append(buffer.bytes());
    put_options(options);
    options.put16(0).put32(8).put64(0);
    ByteBuffer out = opening("7");
    out.text("none").zeros(1).text("1").zeros(1).put64(place()).append(body.bytes());
    out.put16(0).put16(0).put32(0).put64(options.size()).append(options.bytes());
    return out.bytes();
  }

  Endian endian_;
  u32 long_;
  std::vector<std::pair<u16, std::vector<std::byte>>> options_;
  std::map<u32, std::vector<Page>> pages_;
  std::string kallsyms_;
};

}  // namespace peregrine::support
