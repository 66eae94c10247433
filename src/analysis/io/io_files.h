// IoFiles: the files of an I/O report, known by path (from descriptors), by inode (from the page cache), or both. What
// was counted for an inode moves to its path once that becomes known. One thread.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct IoInode {
  u32 device = 0;  // major << 20 | minor
  u64 number = 0;
  auto operator<=>(const IoInode&) const = default;
};

class IoFiles {
 public:
  u32 with_path(std::string_view path);
  // Its path if that is known, now or later.
  u32 with_inode(const IoInode& inode);
  bool has_path(u32 file) const { return !files_[files_[file].same_as].path.empty(); }
  // The file with this path has this inode from now on.
  void learn(const IoInode& inode, u32 with_path);
  // Of a disk's writeback, which names the disk only: the inode that was seen last.
  void see(u32 disk, const IoInode& inode) { on_disk_[{disk, inode.number}] = inode; }
  const IoInode* on_disk(u32 disk, u64 number) const;
  // The path; "inode 12 on vda1" if it is unknown. Several files may have the same label.
  std::string label(u32 file, const std::function<std::string(u32)>& device_name) const;

 private:
  struct File {
    std::string path;
    IoInode inode;
    u32 same_as = 0;  // a file with a path; itself: none
  };
  u32 add(File file);

  std::vector<File> files_;
  std::unordered_map<std::string, u32> by_path_;
  std::map<IoInode, u32> by_inode_;
  std::map<std::pair<u32, u64>, IoInode> on_disk_;
};

}  // namespace peregrine
