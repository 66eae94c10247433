#include "data/blktrace/blktrace_files.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <expected>
#include <limits>
#include <span>
#include <utility>

#include "abi/sample.h"
#include "base/judged_file.h"

namespace peregrine::data {

namespace {

// The CPUs that blktrace files are looked for.
constexpr unsigned kMostStreams = 1024;
constexpr std::size_t kStreamBuffer = std::size_t{1} << 17;
constexpr std::size_t kLargestRecord = abi::kBlktraceHeader + std::numeric_limits<u16>::max();
static_assert(kStreamBuffer > kLargestRecord);

struct StreamBeginning {
  std::array<std::byte, 4> bytes{};
  std::size_t size = 0;
};

Result<StreamBeginning> stream_beginning(int fd) {
  StreamBeginning beginning;
  const auto got = pread_full(fd, beginning.bytes.data(), beginning.bytes.size(), 0);
  if (!got) return std::unexpected(got.error());
  beginning.size = *got;
  return beginning;
}

// Nothing if it is not a regular file or cannot be opened.
std::optional<Fd> open_regular(const std::string& path) {
  auto file = open_and_judge(path, {});
  if (!file || file->fault != FileFault::None) return std::nullopt;
  return std::move(file->fd);
}

// Whether it is a stream: of any version, so that open() can report an unknown one.
bool is_stream(int fd) {
  const auto beginning = stream_beginning(fd);
  return beginning && abi::blktrace_version(std::span(beginning->bytes).first(beginning->size));
}

}  // namespace

std::vector<std::string> find_blktrace_files(const std::string& base) {
  if (base.empty() || base == "-") return {};
  std::vector<std::string> found;
  if (const auto file = open_regular(base)) {
    if (is_stream(file->get())) found.push_back(base);
    return found;
  }
  for (unsigned cpu = 0; cpu < kMostStreams; ++cpu)
    if (std::string path = fmt::format("{}.blktrace.{}", base, cpu); open_regular(path))
      found.push_back(std::move(path));
  return found;
}

std::string blktrace_device(const std::string& base) {
  std::string name = base.substr(base.rfind('/') + 1);
  if (const std::size_t suffix = name.find(".blktrace."); suffix != name.npos && suffix != 0) name.resize(suffix);
  return name;
}

Result<BlktraceFiles> BlktraceFiles::open(const std::vector<std::string>& paths, TrustedOwner owner) {
  BlktraceFiles files;
  for (const std::string& path : paths) {
    auto file = open_judged(path, {.owners = owners_of(owner)});
    if (!file) {
      if (file.error().kind == ErrorKind::Denied && file.error().system_errno == 0)
        file.error().hint = "if you trust it, read it with --force";
      return std::unexpected(std::move(file.error()));
    }
    const auto beginning = stream_beginning(file->fd.get());
    if (!beginning) return std::unexpected(beginning.error());
    if (beginning->size == 0) continue;  // nothing happened on this CPU
    const Bytes bytes = std::span(beginning->bytes).first(beginning->size);
    const auto order = abi::blktrace_order(bytes);
    if (!order) {
      if (const auto version = abi::blktrace_version(bytes))
        return fail(ErrorKind::Unsupported, "'{}' has version {} of blktrace's format: only version {} is supported",
                    path, *version, abi::kBlktraceVersion);
      return fail(ErrorKind::Malformed, "'{}' is not a blktrace stream", path);
    }
    Stream& stream = files.streams_.emplace_back();
    stream.path = path;
    stream.fd = std::move(file->fd);
    stream.order = *order;
    stream.buffer.resize(kStreamBuffer);
    PEREGRINE_TRY(files.find_record(stream));
  }
  return files;
}

Result<> BlktraceFiles::fill(Stream& stream) {
  const std::size_t left = stream.end - stream.begin;
  std::memmove(stream.buffer.data(), stream.buffer.data() + stream.begin, left);
  const auto got =
      pread_full(stream.fd.get(), stream.buffer.data() + left, stream.buffer.size() - left, stream.offset + left);
  if (!got) return std::unexpected(got.error());
  stream.begin = 0;
  stream.end = left + *got;
  return {};
}

Result<> BlktraceFiles::find_record(Stream& stream) {
  const auto unread = [&] { return std::span(stream.buffer).subspan(stream.begin, stream.end - stream.begin); };
  // Nothing if the buffer does not hold a whole record.
  const auto record_size = [&] {
    const auto size = abi::blktrace_record_size(unread(), stream.order);
    return size && *size <= unread().size() ? size : std::nullopt;
  };
  auto size = record_size();
  if (!size) {
    PEREGRINE_TRY(fill(stream));
    size = record_size();
  }
  if (!size) {
    stream.size = 0;
    if (!unread().empty()) damage_.push_back({stream.path, stream.offset});
    return {};
  }
  stream.size = *size;
  stream.record = abi::decode_blktrace_record(unread().first(*size), stream.order);
  return {};
}

Result<std::optional<abi::BlktraceRecord>> BlktraceFiles::next() {
  if (taken_) {
    Stream& stream = streams_[*taken_];
    stream.begin += stream.size;
    stream.offset += stream.size;
    PEREGRINE_TRY(find_record(stream));
  }
  taken_.reset();
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (streams_[i].size != 0 && (!taken_ || streams_[i].record.time < streams_[*taken_].record.time)) taken_ = i;
  if (!taken_) return std::nullopt;
  Stream& stream = streams_[*taken_];
  const abi::BlktraceRecord& record = stream.record;
  // Notices have no number of this CPU's sequence, and the kernel's tracer writes zeroes.
  if (!record.has(abi::block_trait::Notice) && record.cpu < abi::kMostCpus) {
    u32& last = stream.sequences[record.cpu];
    if (last != 0 && record.sequence > last) missing_ += record.sequence - last - 1;
    last = record.sequence;
  }
  return record;
}

}  // namespace peregrine::data
