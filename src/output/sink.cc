#include "output/sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "base/fd.h"

namespace peregrine {

namespace {
constexpr std::size_t kMemoryCapacity = 4096;

// decimal() converts two digits per division.
constexpr auto kDigitPairs = [] {
  std::array<char, 200> pairs{};
  for (unsigned i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();
}  // namespace

Sink::Sink(int fd, std::size_t capacity)
    : fd_(fd),
      capacity_(std::max<std::size_t>(capacity, 64)),
      buffer_(new char[capacity_]),
      next_(buffer_.get()),
      end_(next_ + capacity_) {}

Sink::Sink()
    : fd_(-1),
      capacity_(kMemoryCapacity),
      buffer_(new char[capacity_]),
      next_(buffer_.get()),
      end_(next_ + capacity_) {}

Sink::~Sink() { static_cast<void>(flush()); }

Result<> Sink::flush() {
  if (!in_memory()) {
    if (ok() && next_ != buffer_.get()) {
      if (auto written = write_all(fd_, buffer_.get(), text().size()); !written)
        write_errno_ = written.error().system_errno != 0 ? written.error().system_errno : EIO;
    }
    next_ = buffer_.get();
  }
  if (ok()) return {};
  return fail_errno(file_.empty() ? "cannot write output" : fmt::format("cannot write '{}'", file_), write_errno_);
}

// Writes large text directly, to save the copy into the buffer.
Sink& Sink::write_through(std::string_view text) {
  if (!flush()) return *this;
  if (auto written = write_all(fd_, text.data(), text.size()); !written)
    write_errno_ = written.error().system_errno != 0 ? written.error().system_errno : EIO;
  return *this;
}

void Sink::make_room(std::size_t size) {
  if (!in_memory()) {
    static_cast<void>(flush());
    return;
  }
  const std::size_t used = text().size();
  const std::size_t wanted = std::max(capacity_ * 2, used + size);
  std::unique_ptr<char[]> larger(new char[wanted]);
  std::memcpy(larger.get(), buffer_.get(), used);
  buffer_ = std::move(larger);
  capacity_ = wanted;
  next_ = buffer_.get() + used;
  end_ = buffer_.get() + wanted;
}

Sink& Sink::append_slowly(std::string_view text) {
  if (!in_memory() && text.size() > capacity_) return write_through(text);
  make_room(text.size());
  std::memcpy(next_, text.data(), text.size());
  next_ += text.size();
  return *this;
}

std::string Sink::take() {
  std::string result(text());
  next_ = buffer_.get();
  return result;
}

Sink& Sink::fill(char c, std::size_t count) {
  while (count > 0) {
    if (next_ == end_) make_room(1);
    const std::size_t part = std::min(count, static_cast<std::size_t>(end_ - next_));
    std::memset(next_, c, part);
    next_ += part;
    count -= part;
  }
  return *this;
}

Sink& Sink::right(std::string_view text, std::size_t width) {
  if (text.size() < width) fill(' ', width - text.size());
  return append(text);
}

Sink& Sink::left(std::string_view text, std::size_t width) {
  append(text);
  return text.size() < width ? fill(' ', width - text.size()) : *this;
}

Sink& Sink::decimal(u64 value, unsigned width, char pad) {
  std::array<char, 20> digits;
  char* first = digits.data() + digits.size();
  while (value >= 100) {
    first -= 2;
    std::memcpy(first, &kDigitPairs[2 * (value % 100)], 2);
    value /= 100;
  }
  if (value >= 10) {
    first -= 2;
    std::memcpy(first, &kDigitPairs[2 * value], 2);
  } else {
    *--first = static_cast<char>('0' + value);
  }
  const auto size = static_cast<std::size_t>(digits.data() + digits.size() - first);
  if (size < width) fill(pad, width - size);
  return append(std::string_view(first, size));
}

Sink& Sink::decimal_signed(i64 value, unsigned width) {
  if (value >= 0) return decimal(static_cast<u64>(value), width);
  return right(fmt::format("{}", value), width);
}

Sink& Sink::hex(u64 value, unsigned width, char pad) {
  std::array<char, 16> digits;
  char* first = digits.data() + digits.size();
  do {
    *--first = "0123456789abcdef"[value & 15];
    value >>= 4;
  } while (value != 0);
  const auto size = static_cast<std::size_t>(digits.data() + digits.size() - first);
  if (size < width) fill(pad, width - size);
  return append(std::string_view(first, size));
}

}  // namespace peregrine
