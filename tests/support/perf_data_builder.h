// PerfDataBuilder: builds a perf.data file or pipe in code, for tests of anything that reads one.
//
// Attrs, records and features are given by name and field, and become bytes; missing fields are zero. It writes its own
// bytes (byte_buffer.h) and takes its numbers from <linux/perf_event.h>, never from the code under test. An unknown
// name throws std::invalid_argument, so that a misspelt test fails at once. recipe.h builds the same from text.
//
//   PerfDataBuilder data;
//   data.attr({{"type", 1}, {"freq", 4000}, {"sample", "ip,tid,time,period"}, {"flags", "mmap,comm,sample_id_all"}});
//   data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "load"}, {"time", 1}});
//   data.record("sample", {{"ip", 0x401000}, {"pid", 7}, {"tid", 7}, {"time", 2}, {"period", 250000}});
//   std::vector<std::byte> bytes = data.bytes();
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/byte_buffer.h"

namespace peregrine::support {

// A field's value: a number, text (also: names joined by commas, bytes as hex), or several numbers.
class Value {
 public:
  template <class Int>
    requires std::is_integral_v<Int>
  Value(Int number) : value_(static_cast<std::uint64_t>(number)) {}
  Value(const char* text) : value_(std::string(text)) {}
  Value(std::string text) : value_(std::move(text)) {}
  Value(std::vector<std::uint64_t> list) : value_(std::move(list)) {}

  // Where a number is expected, text is parsed as decimal or 0x…; where a list is expected, it is split at commas.
  std::uint64_t number() const;
  std::vector<std::uint64_t> list() const;
  const std::string& text() const;

 private:
  std::variant<std::uint64_t, std::string, std::vector<std::uint64_t>> value_;
};

using Fields = std::map<std::string, Value, std::less<>>;

enum class Layout { File, Pipe };

// The location of the parts of a built file, for cutting, flipping or stretching them. Offsets in bytes from the start
// of the file.
struct Section {
  std::string name;  // "header", "ids", "attrs", "data", "feature table", or the feature's name
  std::size_t offset = 0;
  std::size_t size = 0;
};

class PerfDataBuilder {
 public:
  explicit PerfDataBuilder(Layout layout = Layout::File, Endian endian = Endian::Little)
      : layout_(layout), endian_(endian), records_(endian) {}

  // Fields: name type config size period freq sample read flags precise ids wakeup bp_type config1 config2 config3
  // branch regs_user stack_user clockid regs_intr aux_watermark max_stack aux_sample_size sig_data; the size is 128
  // unless given.
  PerfDataBuilder& attr(const Fields& fields);
  // A record by its name ("mmap2", "sample", … see records.cc) for event number `event` (whose sample_type says how a
  // sample, or the trailer of a side-band record, looks). Any record also takes `misc`.
  PerfDataBuilder& record(std::string_view name, const Fields& fields = {}, std::size_t event = 0);
  // A record with any type and body.
  PerfDataBuilder& raw_record(std::uint32_t type, std::uint16_t misc, const std::vector<std::byte>& body);
  // Bytes that are not a record.
  PerfDataBuilder& raw_bytes(const std::vector<std::byte>& bytes);
  // A header feature by name: text features ("hostname", "osrelease", "version", "arch", "cpudesc", "cpuid") take
  // `text`; "cmdline" takes `words` joined by spaces; "nrcpus" takes `online` and `available`; "total_mem" takes `kb`;
  // "sample_time" takes `first` and `last`; "event_desc" takes nothing; any other name or number takes `hex`.
  PerfDataBuilder& feature(std::string_view name, const Fields& fields = {});
  // One entry of the build-id table: pid, misc, id (hex), file.
  PerfDataBuilder& build_id(const Fields& fields);
  // The size of the data section in the header; 0 as in an unfinished recording.
  PerfDataBuilder& declared_data_size(std::uint64_t size);

  std::vector<std::byte> bytes() const;
  // Sections of the file, as laid out by bytes().
  std::vector<Section> sections() const;

 private:
  struct Attr {
    std::string name;
    std::vector<std::byte> bytes;
    std::uint64_t sample_type = 0, read_format = 0, branch_sample_type = 0;
    bool sample_id_all = false;
    std::vector<std::uint64_t> ids;
  };
  std::vector<std::byte> file(std::vector<Section>* sections) const;
  std::vector<std::byte> pipe() const;
  std::vector<std::byte> event_desc() const;
  void put_record(ByteBuffer& out, std::uint32_t type, std::uint16_t misc, const std::vector<std::byte>& body) const;

  Layout layout_;
  Endian endian_;
  std::vector<Attr> attrs_;
  ByteBuffer records_;
  std::map<unsigned, std::vector<std::byte>> features_;  // by feature bit
  std::vector<std::byte> build_ids_;
  std::uint64_t declared_data_size_ = ~0ull;
};

// Kinds of damage. Offsets past the end leave the bytes unchanged.
std::vector<std::byte> cut(std::vector<std::byte> bytes, std::size_t size);
std::vector<std::byte> flip(std::vector<std::byte> bytes, std::size_t offset, unsigned bit);
std::vector<std::byte> stretch(std::vector<std::byte> bytes, std::size_t offset, std::size_t count);
std::vector<std::byte> overwrite(std::vector<std::byte> bytes, std::size_t offset, std::uint64_t value, unsigned width);

// Bytes of "0a1b…"; throws std::invalid_argument.
std::vector<std::byte> from_hex(std::string_view hex);

}  // namespace peregrine::support
