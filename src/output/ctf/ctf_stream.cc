#include "output/ctf/ctf_stream.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/fd.h"
#include "base/file/output_file.h"
#include "base/types.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

constexpr u32 kMagic = 0xc1fc1fc1;

}  // namespace

void CtfStream::grow(std::size_t size) {
  const std::size_t wanted =
      std::max(size_ + size, std::min(std::max(capacity_ * 2, std::size_t{1} << 12),
                                      std::max(capacity_ + (capacity_ >> 1), kPacketBytes + 4096)));
  auto larger = std::make_unique_for_overwrite<std::byte[]>(wanted);
  if (size_ > 0) std::memcpy(larger.get(), buffer_.get(), size_);
  buffer_ = std::move(larger);
  capacity_ = wanted;
}

void CtfStream::begin_event(u32 id, u64 time_ns) {
  if (size_ >= kPacketBytes) write_packet();
  if (time_ns < last_time_ || time_ns > kLastTime) {
    moved_ += time_ns != 0;
    time_ns = last_time_;
  }
  if (size_ == 0) {
    first_time_ = time_ns;
    begin_packet();
  }
  last_time_ = time_ns;
  put32(id);
  put64(time_ns);
}

void CtfStream::begin_packet() {
  put32(kMagic);
  put_bytes(uuid_.data(), uuid_.size());
  put32(0);  // ID of the stream class
  for (int i = 0; i < 5; ++i) put64(0);
  put32(cpu_);
}

void CtfStream::put_text(std::string_view text) {
  if (!is_printable(text)) {
    shown_.clear();
    append_printable(shown_, text);
    text = shown_;
  }
  if (!text.empty()) put_bytes(text.data(), text.size());
  const char end = '\0';
  put_bytes(&end, 1);
}

void CtfStream::write_packet() {
  const u64 bits = size_ * 8;
  const u64 context[] = {first_time_, last_time_, bits, bits, discarded_};
  std::memcpy(buffer_.get() + kHeaderBytes - sizeof context - sizeof cpu_, context, sizeof context);
  const std::size_t size = std::exchange(size_, 0);
  if (error_) return;
  auto file = create_output(path_, {.existing = created_ ? Existing::Append : Existing::Truncate});
  if (!file) {
    error_ = std::move(file.error());
    return;
  }
  created_ = true;
  if (auto written = write_all(file->get(), buffer_.get(), size); !written) {
    error_ = std::move(written.error());
    error_->message = path_ + ": " + error_->message;
  }
}

Result<> CtfStream::finish() {
  if (size_ > 0) write_packet();
  if (error_) return std::unexpected(*error_);
  return {};
}

}  // namespace peregrine
