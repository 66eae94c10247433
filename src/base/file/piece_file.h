// PieceWriter and PieceReader: a cache file as a sequence of pieces with a checksum of all of them at the end.
//
// For cache files that are read back completely: numbers, arrays in their memory layout, texts. Writer and reader use
// the same sequence of pieces; the reader reads each piece into its final place, without an intermediate copy. After a
// missing piece all others are zero or empty and ok() is false. Do not use the contents before ends_well() succeeds.
#pragma once
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/types.h"

namespace peregrine {

// The checksum of a sequence of pieces.
class PieceSum {
 public:
  void add(const void* data, std::size_t size);
  u64 value() const { return sum_; }

 private:
  u64 sum_ = 1;
};

class PieceWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    put_piece(&value, sizeof value);
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    static_assert(std::has_unique_object_representations_v<T>);
    put_piece(values.data(), values.size() * sizeof(T));
  }
  void put_text(std::string_view text);
  // Returns the whole file.
  std::string finish();

 private:
  void put_piece(const void* data, std::size_t size);

  std::string bytes_;
  PieceSum sum_;
};

class PieceReader {
 public:
  explicit PieceReader(std::string_view bytes) : bytes_(bytes), size_(bytes.size()) {}
  // Reads a file of `size` bytes from its start; `fd` must stay open.
  PieceReader(int fd, u64 size) : fd_(fd), size_(size) {}

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    get_piece(&value, sizeof value);
    return ok_ ? value : T{};
  }
  u64 get64() { return get<u64>(); }
  template <class T>
  std::vector<T> get_all(u64 count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count > left() / sizeof(T)) {
      ok_ = false;
      return {};
    }
    std::vector<T> values(count);
    get_piece(values.data(), count * sizeof(T));
    return values;
  }
  std::string get_text();
  // Skips a text, adding it to the checksum, and returns its place.
  struct TextPlace {
    u64 offset = 0, size = 0;
  };
  TextPlace pass_text();
  // Returns the text at such a place.
  std::string text_at(const TextPlace& place);

  int fd() const { return fd_; }  // -1: in memory
  bool ok() const { return ok_; }
  // Whether the file is complete and matches its checksum.
  bool ends_well();

 private:
  u64 left() const { return size_ - at_; }
  // Passes the pieces of a text to `take`, one by one.
  template <class F>
  void each_text_piece(F take);
  bool read_at(void* to, std::size_t size, u64 at) const;
  bool get_piece(void* to, std::size_t size);

  std::string_view bytes_;
  int fd_ = -1;
  u64 size_ = 0;
  u64 at_ = 0;
  bool ok_ = true;
  PieceSum sum_;
};

}  // namespace peregrine
