// TraceFolder: one of the kernel's tracers as files: tracefs itself, or an instance below it.
//
// Errors say which file refused and what that means: a kernel without the facility, a host that forbids it, a function
// that is not there. Files are those of Documentation/trace/ftrace.rst.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "sys/root.h"

namespace peregrine {

class TraceFolder {
 public:
  // `path`: without the root's prefix, "/sys/kernel/tracing".
  TraceFolder(Root root, std::string path) : root_(std::move(root)), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  const Root& root() const { return root_; }
  bool has(std::string_view file) const { return root_.exists(path_of(file)); }
  Result<std::string> read(std::string_view file) const { return root_.read(path_of(file)); }
  // Replaces what the file says, or adds to it.
  Result<> set(std::string_view file, std::string_view value) const;
  Result<> add(std::string_view file, std::string_view value) const;
  // What is traced, as text: gives EAGAIN where nothing is there yet.
  Result<Fd> open_pipe() const;
  // A separate tracer below this one; removing its folder ends it. Never an instance that was there before.
  std::string instance_path(const std::string& name) const { return path_of("instances/" + name); }
  Result<TraceFolder> make_instance(const std::string& name) const;
  // Whether the name is one that instance_name() gives.
  bool is_instance_of_ours() const;
  // Of an instance. The kernel refuses as long as somebody reads it.
  bool remove() const;

 private:
  std::string path_of(std::string_view file) const { return path_ + "/" + std::string(file); }
  Result<> write(std::string_view file, std::string_view value, int flags) const;

  Root root_;
  std::string path_;
};

// A name for an instance of this process, with its pid and the time: "peregrine-1234-5678901". No two are equal.
std::string instance_name();

// The items of a file that lists them, one a line; nothing for "no pid" and lines that begin with '#'.
std::vector<std::string> listed_items(std::string_view text);

}  // namespace peregrine
