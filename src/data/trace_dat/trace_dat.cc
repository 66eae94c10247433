#include "data/trace_dat/trace_dat.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>

#include "abi/sample.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "data/trace_dat/trace_dat_option.h"
#include "event/tracepoint/tracing_parts.h"

namespace peregrine::data {
namespace {

// Headers are in memory: formats and symbols of a kernel take 10 MB, with debugging some more.
constexpr u64 kLargestHeader = u64{64} << 20, kFirstHeader = u64{1} << 20;
constexpr unsigned kMostBuffers = 1024, kMostSections = 4096;
constexpr u64 kMostWindows = u64{512} << 20;  // bytes: a page of each CPU and buffer
constexpr std::size_t kWordSize = 10;         // "flyrecord\0"

Result<> check_buffers(const TraceDat& file, u64 file_size) {
  u64 windows = 0, whole = 0;
  for (const RingBuffer& buffer : file.buffers) {
    if (buffer.page_size <= file.layout.data_offset || buffer.page_size > kLargestRingPage)
      return fail(ErrorKind::Malformed, "invalid size of ring-buffer pages: {} bytes", buffer.page_size);
    for (const CpuPages& pages : buffer.cpus) {
      if (pages.cpu >= abi::kMostCpus) return fail(ErrorKind::Malformed, "invalid CPU {}", pages.cpu);
      if (pages.offset > file_size || pages.size > file_size - pages.offset)
        return fail(ErrorKind::Malformed, "truncated: CPU {} has {} bytes of pages at offset {}, the file has {} bytes",
                    pages.cpu, pages.size, pages.offset, file_size);
      windows += buffer.page_size;
      whole += pages.size;
    }
  }
  if (windows > kMostWindows || whole > file_size)
    return fail(ErrorKind::Malformed, "the pages of its CPUs overlap, or are too many");
  return {};
}

// The part that both versions begin with.
struct Opening {
  unsigned version = 0;
  ByteOrder order = kHostOrder;
  u8 long_size = 8;
  u32 page_size = 0;
  std::size_t size = 0;
};
Result<Opening> read_opening(Bytes bytes) {
  ByteReader text(bytes);
  text.skip(kTracingMagic.size());
  const std::string_view version = text.terminated_text();
  if (!text.ok()) return fail(ErrorKind::Malformed, "truncated header");
  if (version != "6" && version != "7")
    return fail(ErrorKind::Unsupported, "trace.dat version {} is not supported (only 6 and 7)", version.substr(0, 20));
  Opening found{.version = version == "6" ? 6u : 7u};
  found.order = text.get8() != 0 ? ByteOrder::Big : ByteOrder::Little;
  found.long_size = text.get8();
  ByteReader in(text.rest(), found.order);
  found.page_size = in.get32();
  found.size = text.offset() + in.offset();
  if (!in.ok()) return fail(ErrorKind::Malformed, "truncated header");
  return found;
}

std::unexpected<Error> latency_text() {
  return std::unexpected(Error{ErrorKind::Unsupported, "contains the text of a latency tracer, not events"}.with_hint(
      "trace-cmd report prints it"));
}

class TraceDatReader {
 public:
  TraceDatReader(int fd, u64 file_size) : fd_(fd), file_size_(file_size) {}
  Result<TraceDat> read();

 private:
  Result<std::vector<std::byte>> take(u64 offset, u64 size);
  // Nothing: `bytes` end too early.
  std::optional<Result<>> decode_version_6(Bytes bytes, const Opening& opening);
  Result<> read_version_6(const Opening& opening);
  Result<> add_instance(Bytes option, const Opening& opening, unsigned cpus);
  static RingBuffer flyrecord(ByteReader& in, const Opening& opening, unsigned cpus);

  Result<> read_version_7(Bytes start, const Opening& opening);
  Result<std::vector<std::byte>> read_section(u64 offset, u16 id);
  Result<std::optional<u64>> read_options(u64 offset);
  Result<> add_buffer(Bytes option);
  Result<> join_header(const Opening& opening);

  int fd_;
  u64 file_size_, taken_ = 0;
  ByteOrder order_ = kHostOrder;
  TraceDat file_;
  std::vector<std::pair<TraceDatOption, u64>> parts_;  // of the header, with the offsets of their sections
};

// Reads a part that is kept in memory.
Result<std::vector<std::byte>> TraceDatReader::take(u64 offset, u64 size) {
  if (offset > file_size_ || size > file_size_ - offset)
    return fail(ErrorKind::Malformed, "truncated: {} bytes at offset {} are missing", size, offset);
  if (size > kLargestHeader || taken_ + size > kLargestHeader)
    return fail(ErrorKind::Malformed, "its header exceeds {} MB", kLargestHeader >> 20);
  taken_ += size;
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  const auto got = pread_full(fd_, bytes.data(), bytes.size(), offset);
  if (!got) return std::unexpected(got.error());
  if (*got != bytes.size()) return fail(ErrorKind::Malformed, "truncated");
  return bytes;
}

Result<TraceDat> TraceDatReader::read() {
  auto start = take(0, std::min(file_size_, u64{256}));
  if (!start) return std::unexpected(std::move(start.error()));
  const auto opening = read_opening(*start);
  if (!opening) return std::unexpected(opening.error());
  order_ = opening->order;
  file_.version = opening->version;
  PEREGRINE_TRY(opening->version == 6 ? read_version_6(*opening)
                                      : read_version_7(Bytes(*start).subspan(opening->size), *opening));
  PEREGRINE_TRY(check_buffers(file_, file_size_));
  return std::move(file_);
}

// The sizes of the header are within it, so it is read in growing parts until it is complete.
Result<> TraceDatReader::read_version_6(const Opening& opening) {
  for (u64 size = kFirstHeader;; size *= 8) {
    const u64 part = std::min({size, file_size_, kLargestHeader});
    taken_ = 0;
    const auto bytes = take(0, part);
    if (!bytes) return std::unexpected(bytes.error());
    if (auto done = decode_version_6(*bytes, opening)) return std::move(*done);
    if (part == file_size_) return fail(ErrorKind::Malformed, "truncated header");
    if (part == kLargestHeader) return fail(ErrorKind::Malformed, "its header exceeds {} MB", kLargestHeader >> 20);
  }
}

std::optional<Result<>> TraceDatReader::decode_version_6(Bytes bytes, const Opening& opening) {
  file_ = TraceDat{};
  auto tracing = decode_tracing_start(bytes);
  if (!tracing) {
    if (bytes.size() < std::min(file_size_, kLargestHeader)) return std::nullopt;
    return std::unexpected(std::move(tracing.error()));
  }
  ByteReader in(bytes.subspan(tracing->size), order_);
  file_.tracing = std::move(tracing->data);
  auto layout = parse_ring_layout(file_.tracing.header_page, opening.long_size, order_);
  if (!layout) return std::unexpected(std::move(layout.error()));
  file_.layout = *layout;
  const u32 cpus = file_.cpus = in.get32();
  std::string_view word = in.text(kWordSize);
  std::vector<Bytes> instances;
  if (word == "options  ") {
    while (in.ok()) {
      const u16 option = in.get16();
      if (option == 0) break;
      const Bytes value = in.take(in.get32());
      if (option == static_cast<u16>(TraceDatOption::Buffer))
        instances.push_back(value);
      else
        apply_trace_dat_option(option, value, order_, file_);
    }
    word = in.text(kWordSize);
  }
  if (word == "latency  ") return latency_text();
  if (cpus > abi::kMostCpus) return fail(ErrorKind::Malformed, "invalid number of CPUs: {}", cpus);
  auto buffer = flyrecord(in, opening, cpus);
  if (!in.ok()) return std::nullopt;
  if (word != "flyrecord") return fail(ErrorKind::Malformed, "no trace data follows the header");
  file_.buffers.push_back(std::move(buffer));
  if (instances.size() > kMostBuffers) return fail(ErrorKind::Malformed, "too many trace instances");
  for (const Bytes instance : instances)
    if (auto added = add_instance(instance, opening, cpus); !added) return added;
  return Result<>();
}

RingBuffer TraceDatReader::flyrecord(ByteReader& in, const Opening& opening, unsigned cpus) {
  RingBuffer buffer;
  buffer.page_size = opening.page_size;
  for (u32 cpu = 0; cpu < cpus && in.ok(); ++cpu) {
    const u64 offset = in.get64(), size = in.get64();
    if (size != 0) buffer.cpus.push_back({cpu, offset, size});
  }
  return buffer;
}

// offset | name: at the offset is another "flyrecord".
Result<> TraceDatReader::add_instance(Bytes option, const Opening& opening, unsigned cpus) {
  ByteReader in(option, order_);
  const u64 offset = in.get64();
  const std::string name(up_to_nul(in.rest()));
  const auto bytes = take(offset, kWordSize + u64{16} * cpus);
  if (!bytes) return std::unexpected(bytes.error());
  ByteReader table(*bytes, order_);
  if (table.text(kWordSize) != "flyrecord")
    return fail(ErrorKind::Malformed, "no trace data of instance '{}' at offset {}", name, offset);
  file_.buffers.push_back(flyrecord(table, opening, cpus));
  return {};
}

Result<> TraceDatReader::read_version_7(Bytes start, const Opening& opening) {
  ByteReader in(start, order_);
  const std::string_view compression = in.terminated_text();
  in.terminated_text();  // its version
  u64 at = in.get64();
  if (!in.ok()) return fail(ErrorKind::Malformed, "truncated header");
  if (compression == "zstd") file_.packing = Packing::Zstd;
  if (compression == "zlib") file_.packing = Packing::Zlib;
  if (file_.packing == Packing::None && compression != "none")
    return fail(ErrorKind::Unsupported, "compressed with '{}', which is not supported (only zstd and zlib)",
                compression.substr(0, 20));
  for (unsigned count = 0; at != 0; ++count) {
    if (count == kMostSections) return fail(ErrorKind::Malformed, "too many sections of options");
    const auto next = read_options(at);
    if (!next) return std::unexpected(next.error());
    at = next->value_or(0);
  }
  return join_header(opening);
}

// id | flags | description | size; packed: size, unpacked size | contents
Result<std::vector<std::byte>> TraceDatReader::read_section(u64 offset, u16 id) {
  constexpr u64 kHeader = 16, kPackedHeader = 8;
  auto header = take(offset, kHeader);
  if (!header) return header;
  ByteReader in(*header, order_);
  const u16 found = in.get16(), flags = in.get16();
  in.get32();
  const u64 size = in.get64();
  if (found != id) return fail(ErrorKind::Malformed, "section {} at offset {} instead of {}", found, offset, id);
  auto contents = take(offset + kHeader, size);
  if (!contents || (flags & kPackedSection) == 0) return contents;
  ByteReader packed(*contents, order_);
  const u32 packed_size = packed.get32(), whole = packed.get32();
  const Bytes bytes = packed.take(packed_size);
  if (!packed.ok() || size < kPackedHeader) return fail(ErrorKind::Malformed, "truncated section {}", id);
  if (taken_ + whole > kLargestHeader)
    return fail(ErrorKind::Malformed, "its header exceeds {} MB", kLargestHeader >> 20);
  taken_ += whole;
  if (whole == 0) return std::vector<std::byte>();
  return unpack_to_size(file_.packing, bytes, "section", whole);
}

// Returns the offset of the next section of options.
Result<std::optional<u64>> TraceDatReader::read_options(u64 offset) {
  const auto bytes = read_section(offset, kOptionsSection);
  if (!bytes) return std::unexpected(bytes.error());
  ByteReader in(*bytes, order_);
  while (in.left() != 0) {
    const u16 option = in.get16();
    const Bytes value = in.take(in.get32());
    if (!in.ok()) return fail(ErrorKind::Malformed, "truncated options at offset {}", offset);
    ByteReader place(value, order_);
    switch (static_cast<TraceDatOption>(option)) {
      case TraceDatOption::Done:
        return place.get64();
      case TraceDatOption::Buffer:
        PEREGRINE_TRY(add_buffer(value));
        break;
      case TraceDatOption::BufferText:
        return latency_text();
      case TraceDatOption::HeaderInfo:
      case TraceDatOption::FtraceFormats:
      case TraceDatOption::EventFormats:
      case TraceDatOption::Kallsyms:
      case TraceDatOption::PrintkFormats:
      case TraceDatOption::CommandLines:
        parts_.emplace_back(static_cast<TraceDatOption>(option), place.get64());
        break;
      default:
        apply_trace_dat_option(option, value, order_, file_);
    }
  }
  return std::nullopt;
}

Result<> TraceDatReader::add_buffer(Bytes option) {
  if (file_.buffers.size() == kMostBuffers) return fail(ErrorKind::Malformed, "too many buffers");
  ByteReader in(option, order_);
  const u64 section = in.get64();
  RingBuffer buffer;
  in.terminated_text();  // the instance's name
  const std::string_view clock = in.terminated_text();
  if (file_.clock_name.empty()) file_.clock_name = clock;
  buffer.page_size = in.get32();
  const u32 cpus = in.get32();
  if (!in.ok() || cpus > in.left() / 20) return fail(ErrorKind::Malformed, "invalid description of a buffer");
  for (u32 i = 0; i < cpus; ++i) {
    const u32 cpu = in.get32();
    const u64 offset = in.get64(), size = in.get64();
    if (size != 0) buffer.cpus.push_back({cpu, offset, size});
  }
  const auto header = take(section, 4);
  if (!header) return std::unexpected(header.error());
  ByteReader flags(*header, order_);
  flags.get16();
  buffer.packed = (flags.get16() & kPackedSection) != 0;
  if (buffer.packed && file_.packing == Packing::None)
    return fail(ErrorKind::Malformed, "compressed pages, but no compression");
  if (!buffer.cpus.empty()) file_.buffers.push_back(std::move(buffer));
  return {};
}

// The sections are the parts of version 6's header.
Result<> TraceDatReader::join_header(const Opening& opening) {
  ByteWriter joined(order_);
  put_tracing_opening("6", opening.long_size, opening.page_size, joined);
  constexpr std::pair<TraceDatOption, std::string_view> kParts[] = {
      {TraceDatOption::HeaderInfo, {"header_page\0\0\0\0\0\0\0\0\0header_event\0\0\0\0\0\0\0\0\0", 41}},
      {TraceDatOption::FtraceFormats, {"\0\0\0\0", 4}},
      {TraceDatOption::EventFormats, {"\0\0\0\0", 4}},
      {TraceDatOption::Kallsyms, {"\0\0\0\0", 4}},
      {TraceDatOption::PrintkFormats, {"\0\0\0\0", 4}},
      {TraceDatOption::CommandLines, {"\0\0\0\0\0\0\0\0", 8}}};
  for (const auto& [part, absent] : kParts) {
    const auto found = std::ranges::find(parts_, part, &std::pair<TraceDatOption, u64>::first);
    if (found == parts_.end()) {
      joined.append(absent);
      continue;
    }
    const auto bytes = read_section(found->second, static_cast<u16>(part));
    if (!bytes) return std::unexpected(bytes.error());
    joined.append(*bytes);
  }
  auto tracing = decode_tracing_data(joined.bytes());
  if (!tracing) return std::unexpected(std::move(tracing.error()));
  file_.tracing = std::move(*tracing);
  auto layout = parse_ring_layout(file_.tracing.header_page, opening.long_size, order_);
  if (!layout) return std::unexpected(std::move(layout.error()));
  file_.layout = *layout;
  return {};
}

}  // namespace

Result<TraceDat> read_trace_dat(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return fail_errno("fstat");
  return TraceDatReader(fd, static_cast<u64>(status.st_size)).read();
}

}  // namespace peregrine::data
