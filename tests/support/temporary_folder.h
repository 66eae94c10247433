// TemporaryFolder: a folder for one test, deleted with the object; names are relative to it.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/fd.h"

namespace peregrine {

class TemporaryFolder {
 public:
  static constexpr unsigned kStranger = 12345;  // a user who is neither us nor root

  TemporaryFolder() {
    std::string pattern = ::testing::TempDir() + "peregrine_test.XXXXXX";
    // Resolves links in the path ($TMPDIR), so that paths are as the kernel spells them.
    if (::mkdtemp(pattern.data()) != nullptr) path_ = std::filesystem::canonical(pattern);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  // A descriptor of the folder itself.
  Fd open() const { return Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }
  std::string path(std::string_view name) const { return path_ + '/' + std::string(name); }

  // Returns the file's path.
  std::string write(std::string_view name, std::string_view text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  std::string text(std::string_view name) const {
    std::ostringstream all;
    all << std::ifstream(path(name)).rdbuf();
    return all.str();
  }
  // 0 if nothing is there.
  unsigned mode(std::string_view name) const {
    struct stat status{};
    return ::stat(path(name).c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }
  bool has(std::string_view name) const { return std::filesystem::exists(path(name)); }
  // The number of names in it, including hidden ones.
  std::size_t names() const {
    const std::filesystem::directory_iterator begin(path_), end;
    return static_cast<std::size_t>(std::distance(begin, end));
  }
  // As root: gives it to kStranger; for a link, the link itself and not its target.
  void give_away(std::string_view name) const { ASSERT_EQ(::lchown(path(name).c_str(), kStranger, kStranger), 0); }

 private:
  std::string path_;
};

}  // namespace peregrine
