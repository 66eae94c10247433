// CtfStream: the events of one CPU as a file of packets; each states its size, time span and CPU.
//
//   ┌ packet: magic, trace's uuid, stream 0 │ first time, last time, bits, bits, discarded, CPU ┐
//   │ event: class u32, time u64, fields … │ event │ …                                          │  64 KiB, or one event
//
// Packets are written when full, so memory does not grow with the trace; the file is open only while writing, so a
// thousand CPUs do not need a thousand descriptors. Numbers are in host order. A stream's times must not go back: an
// event with an earlier time, or none, gets the last one. After a failed write everything is dropped. Not thread safe.
// Format: CTF 1.8.3, sections 5 and 6; tsdl.h writes its description.
#pragma once
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/types.h"
#include "output/ctf/tsdl.h"

namespace peregrine {

class CtfStream {
 public:
  static constexpr std::size_t kPacketBytes = std::size_t{1} << 16;
  static constexpr std::size_t kHeaderBytes = 68;
  // Latest time in ns: readers use 63 bits and add the clock's offset.
  static constexpr u64 kLastTime = u64{1} << 62;

  // The file is created with the first packet.
  CtfStream(std::string path, const CtfUuid& uuid, u32 cpu) : path_(std::move(path)), uuid_(uuid), cpu_(cpu) {}

  // Starts the next event; its fields must follow.
  void begin_event(u32 id, u64 time_ns);
  void put32(u32 value) { put_bytes(&value, sizeof value); }
  void put64(u64 value) { put_bytes(&value, sizeof value); }
  // The text and a NUL; escapes what is unsafe on terminals as \xNN.
  void put_text(std::string_view text);
  // Records that `events` events were lost here.
  void discard(u64 events) { discarded_ += events; }

  // Writes the last packet. Returns the first write error, every time.
  Result<> finish();
  bool ok() const { return !error_; }
  u64 moved() const { return moved_; }  // events with a time before their predecessor's

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
