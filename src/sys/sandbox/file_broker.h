// FileBroker: a process that writes files on behalf of a confined one, limited to a list that is fixed at its start.
//
//   confined process ──open("x.html", O_WRONLY|O_CREAT)──▶ seccomp ──▶ broker: one of the outputs? opens, hands it over
//
// It is forked before the confined process reads its first untrusted byte. It reads one path per call from that
// process, and nothing else. It opens the parent folder itself, asks the kernel for its path, and acts on the
// descriptor, so that no one can swap a path between check and use. It ends with the last confined process.
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

// The writable places: PATH, everything below it, and drafts next to it (PATH.ANYTHING, .NAME.ANYTHING). A * in the
// last name matches any text ("out.*.svg"), and a folder ** matches any folder ("**/jitted-*.so"). Missing folders on
// the way may be created.
class OutputGrants {
 public:
  explicit OutputGrants(const std::vector<std::string>& outputs);

  // Whether `path`, in the kernel's spelling, may be changed.
  bool covers(std::string_view path) const;
  // Whether `path` is a folder on the way to an output.
  bool leads_to_output(std::string_view path) const;
  // Returns the target, as of the start, of an output that is a symbolic link of the user; empty for all others.
  std::string behind(std::string_view path) const;

 private:
  struct Pattern {
    std::string folder;  // with a trailing slash; empty: any
    std::string begin, end;
    bool covers(std::string_view path) const;
  };
  void add_path(const std::string& output);

  struct Link {
    std::string path, target;
  };

  std::vector<std::string> paths_;
  std::vector<Link> links_;
  std::vector<Pattern> patterns_;
};

class FileBroker {
 public:
  // Forks the broker. `otherwise_kernel`: leave calls without a grant to the kernel, because something else restricts
  // them (Landlock); otherwise the broker denies them. Errors: Denied if the broker cannot work: without /proc, or if
  // Yama forbids it to read this process.
  static Result<FileBroker> start(const std::vector<std::string>& outputs, bool otherwise_kernel);
  FileBroker(FileBroker&& other) noexcept;
  FileBroker& operator=(FileBroker&& other) noexcept;
  ~FileBroker();

  pid_t process() const { return process_; }
  // Takes the descriptor from install_call_filter(). From here on calls are answered.
  Result<> serve(Fd notifications);

 private:
  FileBroker() = default;

  pid_t process_ = -1;
  Fd line_;  // to the broker; before serve(), closing it ends the broker
};

}  // namespace peregrine
