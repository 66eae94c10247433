#include "analysis/io/io_files.h"

#include <fmt/format.h>

namespace peregrine {

namespace {

// The page cache of a block device belongs to an inode of a file system in memory, and has the device's number.
bool is_block_device(const IoInode& inode) {
  constexpr u64 kMinorBits = 20;
  return inode.device >> kMinorBits == 0 && inode.number >> kMinorBits != 0 && inode.number >> 32 == 0;
}

}  // namespace

u32 IoFiles::add(File file) {
  file.same_as = static_cast<u32>(files_.size());
  files_.push_back(std::move(file));
  return files_.back().same_as;
}

u32 IoFiles::with_path(std::string_view path) {
  const auto [place, added] = by_path_.try_emplace(std::string(path), 0);
  if (added) place->second = add({.path = std::string(path), .inode = {}});
  return place->second;
}

u32 IoFiles::with_inode(const IoInode& inode) {
  const auto [place, added] = by_inode_.try_emplace(inode, 0);
  if (added) place->second = add({.path = {}, .inode = inode});
  return place->second;
}

void IoFiles::learn(const IoInode& inode, u32 with_path) {
  const auto [place, added] = by_inode_.try_emplace(inode, with_path);
  if (added || place->second == with_path) return;
  if (files_[place->second].path.empty()) files_[place->second].same_as = with_path;
  place->second = with_path;
}

const IoInode* IoFiles::on_disk(u32 disk, u64 number) const {
  const auto found = on_disk_.find({disk, number});
  return found == on_disk_.end() ? nullptr : &found->second;
}

std::string IoFiles::label(u32 file, const std::function<std::string(u32)>& device_name) const {
  const File& one = files_[files_[file].same_as];
  if (!one.path.empty()) return one.path;
  if (is_block_device(one.inode)) return fmt::format("metadata of {}", device_name(static_cast<u32>(one.inode.number)));
  return fmt::format("inode {} on {}", one.inode.number, device_name(one.inode.device));
}

}  // namespace peregrine
