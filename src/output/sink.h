// Sink: the only way text leaves this program: a large buffer over a file descriptor or memory.
//
// Renderers append to it; cmd owns it and calls flush() at the end. After a failed write everything is dropped (see
// ok(), flush()), so renderers need not check. Not thread safe: parallel renderers fill separate memory sinks, whose
// text the owner appends in order. Appended views are copied.
#pragma once
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

class Sink {
 public:
  static constexpr std::size_t kCapacity = std::size_t{1} << 18;

  // The caller must keep `fd` open while the sink exists.
  explicit Sink(int fd, std::size_t capacity = kCapacity);
  // Keeps everything in memory: see text() and take().
  Sink();
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  Sink& append(std::string_view text) {
    if (static_cast<std::size_t>(end_ - next_) < text.size()) return append_slowly(text);
    if (!text.empty()) std::memcpy(next_, text.data(), text.size());
    next_ += text.size();
    return *this;
  }
  Sink& append(char c) {
    if (next_ == end_) make_room(1);
    *next_++ = c;
    return *this;
  }
  // `count` times `c`.
  Sink& fill(char c, std::size_t count);
  // Pads with spaces before (right) or after (left) the text to `width`; does not truncate.
  Sink& right(std::string_view text, std::size_t width);
  Sink& left(std::string_view text, std::size_t width);

  // Decimal and lower-case hexadecimal without prefix; padded with `pad` on the left to at least `width` characters.
  Sink& decimal(u64 value, unsigned width = 0, char pad = ' ');
  Sink& decimal_signed(i64 value, unsigned width = 0);
  Sink& hex(u64 value, unsigned width = 0, char pad = ' ');

  // fmt::format straight into the buffer.
  template <class... Args>
  Sink& format(fmt::format_string<Args...> text, Args&&... args) {
    return append(fmt::format(text, std::forward<Args>(args)...));
  }

  // Errors of flush() name this file.
  void set_file(std::string name) { file_ = std::move(name); }
  // Writes the buffer to the descriptor (no effect for a memory sink). Returns the first write error, every time.
  Result<> flush();
  bool ok() const { return write_errno_ == 0; }

  // Memory sink: the text so far; valid until the next append.
  std::string_view text() const { return {buffer_.get(), static_cast<std::size_t>(next_ - buffer_.get())}; }
  std::string take();
  void clear() { next_ = buffer_.get(); }

 private:
  Sink& append_slowly(std::string_view text);
  Sink& write_through(std::string_view text);
  // Ensures `size` free bytes; size must not exceed the capacity of an fd sink.
  void make_room(std::size_t size);
  bool in_memory() const { return fd_ < 0; }

  int fd_;
  int write_errno_ = 0;
  std::string file_;
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  char* next_;
  char* end_;
};

}  // namespace peregrine
