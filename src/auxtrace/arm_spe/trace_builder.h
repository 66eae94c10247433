// Builds Arm SPE packets for tests: pc(0x401000) + load() + events(Retired) + timestamp(1000).
#pragma once
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "auxtrace/arm_spe/packet.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::spe_test {

class Trace {
 public:
  Trace& put(u8 header, u64 payload, unsigned size) {
    bytes_.push_back(static_cast<std::byte>(header));
    for (unsigned i = 0; i < size; ++i) bytes_.push_back(static_cast<std::byte>(payload >> 8 * i));
    return *this;
  }
  Trace& raw(std::initializer_list<u8> bytes) {
    for (const u8 byte : bytes) bytes_.push_back(static_cast<std::byte>(byte));
    return *this;
  }
  Trace& address(u8 index, u64 value, u64 level = 0, u64 non_secure = 0) {
    return put(static_cast<u8>(0xb0 | index), value | level << 61 | non_secure << 63, 8);
  }
  Trace& pc(u64 value) { return address(spe_address::Pc, value, 0, 1); }
  Trace& target(u64 value) { return address(spe_address::BranchTarget, value, 0, 1); }
  Trace& data(u64 value) { return address(spe_address::DataVirtual, value); }
  Trace& physical(u64 value) { return address(spe_address::DataPhysical, value); }
  Trace& load() { return put(0x49, 0, 1); }
  Trace& store() { return put(0x49, 1, 1); }
  Trace& branch() { return put(0x4a, 1, 1); }
  Trace& other() { return put(0x48, 0, 1); }
  Trace& events(u64 bits) { return put(0x52, bits, 2); }
  Trace& latency(u64 cycles) { return put(0x98, cycles, 2); }
  Trace& source(u64 value) { return put(0x43, value, 1); }
  Trace& context(u64 value) { return put(0x64, value, 4); }
  Trace& timestamp(u64 ticks) { return put(0x71, ticks, 8); }
  Trace& end() { return raw({0x01}); }

  Bytes bytes() const { return bytes_; }
  std::vector<std::byte>& storage() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace peregrine::spe_test
