// TraceFolder: one kernel tracer as files: tracefs itself, or an instance below it.
//
// Errors name the file that refused and the cause: a kernel without the facility, a host that forbids it, an unknown
// function. Files: Documentation/trace/ftrace.rst.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "sys/root.h"

namespace peregrine {

class TraceFolder {
 public:
  // `path`: without the root's prefix, "/sys/kernel/tracing".
  TraceFolder(Root root, std::string path) : root_(std::move(root)), path_(std::move(path)) {}

  // The files of the functions below are relative to the folder, or absolute: /sys/block/vda/trace/enable belongs to a
  // tracer, too.
  const std::string& path() const { return path_; }
  const Root& root() const { return root_; }
  bool has(std::string_view file) const { return root_.exists(path_of(file)); }
  Result<std::string> read(std::string_view file) const { return root_.read(path_of(file)); }
  // Replaces or extends the contents of a file.
  Result<> set(std::string_view file, std::string_view value) const;
  Result<> add(std::string_view file, std::string_view value) const;
  // Adds the text in one write(2). Usage: the kernel took only its beginning.
  Result<> add_once(std::string_view file, std::string_view text) const;
  // The trace as text; reading gives EAGAIN while it is empty.
  Result<Fd> open_pipe() const;
  Result<Fd> open(std::string_view file) const;
  // A separate tracer below this one, which lives until its folder is removed. Never an existing instance.
  std::string instance_path(const std::string& name) const { return path_of("instances/" + name); }
  Result<TraceFolder> make_instance(const std::string& name) const;
  // Whether the name is one that instance_name() generates.
  bool is_instance_of_ours() const;
  // Removes an instance. The kernel refuses while it has readers.
  bool remove() const;

 private:
  std::string path_of(std::string_view file) const {
    return file.starts_with('/') ? std::string(file) : path_ + "/" + std::string(file);
  }
  Result<> write(std::string_view file, std::string_view value, int flags) const;
  Result<Fd> open_path(const std::string& path, int flags) const;

  Root root_;
  std::string path_;
};

// A unique instance name from pid and time: "peregrine-1234-5678901".
std::string instance_name();

// Instances of `ftrace start` stay until `ftrace remove`: "peregrine-trace". No such name is an instance_name().
std::string kept_instance_name(std::string_view name);
// The name of a kept instance; nothing for those of other programs, and for temporary ones.
std::optional<std::string> kept_name_of(std::string_view instance);

// The items of a list file, one per line; empty for "no pid", without comment lines ('#').
std::vector<std::string> listed_items(std::string_view text);

}  // namespace peregrine
