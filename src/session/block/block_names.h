// BlockNames: the names of block devices, and the disks of partitions. Main thread only.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "sys/hardware/block_device.h"
#include "sys/root.h"

namespace peregrine {

class BlockNames {
 public:
  BlockNames() = default;
  explicit BlockNames(std::vector<BlockDevice> devices) : devices_(std::move(devices)) {}
  // The devices of the running system, if it is the recorded one by the header: a recording has numbers only.
  static BlockNames of_recording(const data::Reader& reader, const Root& root);

  // "vda1"; "254,1" for an unknown device.
  std::string name(u32 number) const;
  // The number itself if it is not known to be a partition.
  u32 disk_of(u32 number) const;
  // "vda", "/dev/vda", "254:0" or "254,0". Errors: NotFound.
  Result<u32> find(std::string_view word) const;
  // The device and, of a disk, its partitions.
  std::vector<u32> with_partitions(u32 number) const;

 private:
  const BlockDevice* known(u32 number) const;

  std::vector<BlockDevice> devices_;
};

}  // namespace peregrine
