// FolderEntries: the names in a folder, read with readdir(3).
//
// Replaces std::filesystem::directory_iterator, which allocates in noexcept functions and so terminates the program
// when memory is short. Entries are unsorted, without "." and "..". Not thread safe.
#pragma once
#include <dirent.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/read_failures.h"

namespace peregrine {

class FolderEntries {
 public:
  struct Entry {
    std::string_view name;  // valid until the next call of next()
    unsigned char type;     // DT_REG, …; DT_UNKNOWN if the file system does not report it
  };

  explicit FolderEntries(const std::string& path);
  // Reads from the start, with a separate descriptor; the caller keeps `folder`.
  explicit FolderEntries(int folder);

  // Returns no value at the end or after an error.
  std::optional<Entry> next();
  // Returns the errno of opening or reading the folder, or 0.
  int error() const { return error_; }

 private:
  struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };

  std::unique_ptr<DIR, Close> folder_;
  int error_ = 0;
};

// Returns the sorted names in a folder, as far as it can be read. `failures` records failures of the machine.
std::vector<std::string> names_in_folder(const std::string& path, ReadFailures* failures = nullptr);
std::vector<std::string> names_in_folder(int folder);

// Whether `path` is a regular file, or a link to one.
bool is_regular_file(const std::string& path);

}  // namespace peregrine
