// CtfStream: the events of one CPU as a file of packets, each of which says its own size, span and CPU.
//
//   ┌ packet: magic, trace's uuid, stream 0 │ first time, last time, bits, bits, discarded, CPU ┐
//   │ event: class u32, time u64, fields … │ event │ …                                          │  64 KiB, or one event
//
// A packet is written when it is full, so memory does not grow with the trace; the file is open for no longer than
// that, so a thousand CPUs need no thousand descriptors. Numbers are in host order. Times of a stream may not go back:
// an event of an earlier time, or of none, gets the last one. A failed write is remembered and what follows is dropped.
// Not thread safe. Format: CTF 1.8.3, sections 5 and 6; tsdl.h describes the same to readers.
#pragma once
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "output/ctf/tsdl.h"

namespace peregrine {

class CtfStream {
 public:
  static constexpr std::size_t kPacketBytes = std::size_t{1} << 16;
  static constexpr std::size_t kHeaderBytes = 68;
  // No time is later, ns: readers count in 63 bits, and the clock's offset is added.
  static constexpr u64 kLastTime = u64{1} << 62;

  // Creates the file with the first packet.
  CtfStream(std::string path, const CtfUuid& uuid, u32 cpu) : path_(std::move(path)), uuid_(uuid), cpu_(cpu) {}

  // The head of the next event; its fields follow.
  void begin_event(u32 id, u64 time_ns);
  void put32(u32 value) { put_bytes(&value, sizeof value); }
  void put64(u64 value) { put_bytes(&value, sizeof value); }
  // Its bytes and a NUL, what a terminal should not get as \xNN.
  void put_text(std::string_view text);
  // So many events were lost here.
  void discard(u64 events) { discarded_ += events; }

  // Writes the last packet. The error of the first failed write, again each time.
  Result<> finish();
  bool ok() const { return !error_; }
  u64 moved() const { return moved_; }  // events whose time was earlier than that of the one before

 private:
  void put_bytes(const void* bytes, std::size_t size) {
    if (capacity_ - size_ < size) grow(size);
    std::memcpy(buffer_.get() + size_, bytes, size);
    size_ += size;
  }
  void grow(std::size_t size);
  void begin_packet();
  void write_packet();

  std::string path_;
  CtfUuid uuid_;
  u32 cpu_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t size_ = 0, capacity_ = 0;
  u64 first_time_ = 0, last_time_ = 0;
  u64 discarded_ = 0, moved_ = 0;
  bool created_ = false;
  std::optional<Error> error_;
  std::string shown_;
};

}  // namespace peregrine
