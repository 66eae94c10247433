// PebsRecord: a PEBS record in an Intel PT trace: one block of packets (BBP to BEP).
//
// Groups and items are numbered as in Intel SDM volume 3, "Intel Processor Trace", "Block Item Packet"; any item may be
// missing.
#pragma once
#include <array>
#include <optional>

#include "base/types.h"

namespace peregrine::auxtrace {

class PebsRecord {
 public:
  // Numbers in BBP packets. A group of branches has three items per branch, newest first.
  enum Group : u8 {
    Registers = 0x01,
    Basic = 0x04,
    Memory = 0x05,
    Branches0 = 0x08,
    Branches1,
    Branches2,
    Vectors = 0x10
  };
  static constexpr unsigned kItems = 32;

  // Ignores unknown groups and items.
  void set(u64 group, unsigned item, u64 value);
  std::optional<u64> item(Group group, unsigned item) const;
  // One bit per item present in the group.
  u32 items(Group group) const { return has_[group]; }
  bool empty() const;
  void clear() { has_ = {}; }

 private:
  static constexpr unsigned kGroups = Vectors + 1;
  static bool is_known(u64 group);

  std::array<u32, kGroups> has_{};
  std::array<std::array<u64, kItems>, kGroups> values_{};
};

// Item numbers.
namespace pebs_item {
inline constexpr unsigned Ip = 0, Counters = 1, Tsc = 2;                         // Basic
inline constexpr unsigned Address = 0, AuxiliaryInfo = 1, Latency = 2, Tsx = 3;  // Memory
inline constexpr unsigned RegisterFlags = 0, RegisterIp = 1, RegisterAx = 2;     // Registers: then CX, DX, BX, SP, …
inline constexpr unsigned From = 0, To = 1, Info = 2, PerBranch = 3;             // Branches
}  // namespace pebs_item

}  // namespace peregrine::auxtrace
