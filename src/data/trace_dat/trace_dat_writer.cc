#include "data/trace_dat/trace_dat_writer.h"

#include <fmt/format.h>
#include <zstd.h>

#include <array>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "data/trace_dat/trace_dat_option.h"
#include "event/tracepoint/tracing_parts.h"

namespace peregrine::data {
namespace {

constexpr u64 kPagesAtOnce = 16;  // also the size of a compressed chunk
constexpr int kLevel = 3;
constexpr u32 kPackedHeader = 8;

void put_string(ByteWriter& out, std::string_view text) { out.append(text).put8(0); }

void put_option(TraceDatOption option, Bytes value, ByteWriter& out) {
  out.put16(static_cast<u16>(option)).put32(static_cast<u32>(value.size())).append(value);
}
void put_option(TraceDatOption option, std::string_view text, ByteWriter& out) {
  if (text.empty()) return;
  ByteWriter value(out.order());
  put_string(value, text);
  put_option(option, value.bytes(), out);
}

std::string clock_text(const WrittenTraceDat& file) { return fmt::format("[{}]\n", file.clock); }

void put_options(const WrittenTraceDat& file, ByteWriter& out) {
  put_option(TraceDatOption::TraceClock, clock_text(file), out);
  put_option(TraceDatOption::Uname, file.uname, out);
  put_option(TraceDatOption::Version, file.writer, out);
  ByteWriter cpus(out.order());
  cpus.put32(file.cpus);
  put_option(TraceDatOption::CpuCount, cpus.bytes(), out);
}

// Writes to the file, and knows the offset.
class Output {
 public:
  Output(int fd, const std::string& name) : fd_(fd), name_(name) {}
  u64 place() const { return at_; }
  Result<> write(Bytes bytes) {
    at_ += bytes.size();
    auto written = write_all(fd_, bytes.data(), bytes.size());
    if (!written) written.error().message = fmt::format("{}: {}", name_, written.error().message);
    return written;
  }
  Result<> align(u64 unit) {
    const std::vector<std::byte> zeros(static_cast<std::size_t>((unit - at_ % unit) % unit));
    return write(zeros);
  }

 private:
  int fd_;
  const std::string& name_;
  u64 at_ = 0;
};

Result<> write_plain_pages(PageStore& pages, u32 cpu, u64 count, Output& out) {
  for (u64 first = 0; first < count; first += kPagesAtOnce) {
    const auto bytes = pages.read(cpu, first, kPagesAtOnce);
    if (!bytes) return std::unexpected(bytes.error());
    PEREGRINE_TRY(out.write(*bytes));
  }
  return {};
}

Result<> write_version_6(int fd, const WrittenTraceDat& file, PageStore& pages) {
  ByteWriter header(file.tracing.order);
  put_tracing_opening("6", file.tracing.long_size, pages.page_size(), header);
  for (const auto& part : encode_tracing_parts(file.tracing)) header.append(Bytes(part));
  header.put32(file.cpus);
  put_string(header, "options  ");
  put_options(file, header);
  header.put16(0);
  put_string(header, "flyrecord");
  const std::string clock = clock_text(file);
  const auto counts = pages.counts();
  const u64 page_size = pages.page_size(), table = u64{16} * file.cpus + 8 + clock.size() + 1;
  u64 at = (header.size() + table + page_size - 1) / page_size * page_size;
  for (u32 cpu = 0; cpu < file.cpus; ++cpu) {
    const auto found = counts.find(cpu);
    const u64 size = found == counts.end() ? 0 : found->second * page_size;
    header.put64(at).put64(size);
    at += size;
  }
  header.put64(clock.size() + 1);
  put_string(header, clock);
  Output out(fd, file.name);
  PEREGRINE_TRY(out.write(header.bytes()));
  PEREGRINE_TRY(out.align(page_size));
  for (const auto& [cpu, count] : counts) PEREGRINE_TRY(write_plain_pages(pages, cpu, count, out));
  return {};
}

Result<std::vector<std::byte>> packed(Bytes bytes) {
  std::vector<std::byte> out(::ZSTD_compressBound(bytes.size()));
  const std::size_t size = ::ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kLevel);
  if (::ZSTD_isError(size) != 0) return fail(ErrorKind::System, "zstd: {}", ::ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

void put_section_header(u16 id, u16 flags, u64 size, ByteWriter& out) {
  out.put16(id).put16(flags).put32(0).put64(size);
}

class Version7 {
 public:
  Version7(int fd, const WrittenTraceDat& file, PageStore& pages)
      : fd_(fd), file_(file), pages_(pages), out_(fd, file.name), options_(file.tracing.order) {}

  Result<> write() {
    ByteWriter opening(file_.tracing.order);
    put_tracing_opening("7", file_.tracing.long_size, pages_.page_size(), opening);
    put_string(opening, "zstd");
    put_string(opening, ZSTD_versionString());
    const u64 place = opening.size();
    PEREGRINE_TRY(out_.write(opening.put64(0).bytes()));
    PEREGRINE_TRY(write_parts());
    PEREGRINE_TRY(write_pages());
    put_options(file_, options_);
    const std::array<std::byte, 8> none{};
    put_option(TraceDatOption::Done, Bytes(none), options_);
    ByteWriter section(options_.order());
    put_section_header(kOptionsSection, 0, options_.size(), section);
    const u64 options_place = out_.place();
    PEREGRINE_TRY(out_.write(section.append(options_.bytes()).bytes()));
    return put_number(options_place, place);
  }

 private:
  Result<> put_number(u64 number, u64 place) {
    ByteWriter bytes(options_.order());
    return pwrite_all(fd_, bytes.put64(number).bytes().data(), 8, place, "cannot write the file's offsets");
  }

  // The parts of the header, and options with their places.
  Result<> write_parts() {
    constexpr std::array kSections{TraceDatOption::HeaderInfo,    TraceDatOption::FtraceFormats,
                                   TraceDatOption::EventFormats,  TraceDatOption::Kallsyms,
                                   TraceDatOption::PrintkFormats, TraceDatOption::CommandLines};
    const auto parts = encode_tracing_parts(file_.tracing);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      ByteWriter place(options_.order()), section(options_.order());
      put_option(kSections[i], place.put64(out_.place()).bytes(), options_);
      const auto contents = packed(parts[i]);
      if (!contents) return std::unexpected(contents.error());
      put_section_header(static_cast<u16>(kSections[i]), kPackedSection, kPackedHeader + contents->size(), section);
      section.put32(static_cast<u32>(contents->size())).put32(static_cast<u32>(parts[i].size())).append(*contents);
      PEREGRINE_TRY(out_.write(section.bytes()));
    }
    return {};
  }

  // The section's size is known at the end.
  Result<> write_pages() {
    ByteWriter option(options_.order()), section(options_.order());
    const auto counts = pages_.counts();
    option.put64(out_.place());
    put_string(option, "");
    put_string(option, file_.clock);
    option.put32(pages_.page_size()).put32(static_cast<u32>(counts.size()));
    put_section_header(static_cast<u16>(TraceDatOption::Buffer), kPackedSection, 0, section);
    const u64 section_place = out_.place();
    PEREGRINE_TRY(out_.write(section.bytes()));
    for (const auto& [cpu, count] : counts) {
      PEREGRINE_TRY(out_.align(pages_.page_size()));
      const u64 begin = out_.place();
      PEREGRINE_TRY(write_packed_pages(cpu, count));
      constexpr u64 kNumber = 4;  // of chunks: it is not part of the size
      option.put32(cpu).put64(begin).put64(out_.place() - begin - kNumber);
    }
    put_option(TraceDatOption::Buffer, option.bytes(), options_);
    return put_number(out_.place() - section_place - section.size(), section_place + section.size() - 8);
  }

  Result<> write_packed_pages(u32 cpu, u64 count) {
    ByteWriter number(options_.order());
    PEREGRINE_TRY(out_.write(number.put32(static_cast<u32>((count + kPagesAtOnce - 1) / kPagesAtOnce)).bytes()));
    for (u64 first = 0; first < count; first += kPagesAtOnce) {
      const auto bytes = pages_.read(cpu, first, kPagesAtOnce);
      if (!bytes) return std::unexpected(bytes.error());
      const auto contents = packed(*bytes);
      if (!contents) return std::unexpected(contents.error());
      ByteWriter chunk(options_.order());
      chunk.put32(static_cast<u32>(contents->size())).put32(static_cast<u32>(bytes->size())).append(*contents);
      PEREGRINE_TRY(out_.write(chunk.bytes()));
    }
    return {};
  }

  int fd_;
  const WrittenTraceDat& file_;
  PageStore& pages_;
  Output out_;
  ByteWriter options_;
};

}  // namespace

Result<> write_trace_dat(int fd, const WrittenTraceDat& file, PageStore& pages) {
  PEREGRINE_TRY(pages.flush());
  return file.version == 7 ? Version7(fd, file, pages).write() : write_version_6(fd, file, pages);
}

}  // namespace peregrine::data
