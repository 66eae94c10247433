// FileBroker: a process that writes files on behalf of a confined one, limited to a list that is fixed at its start.
//
//   confined process ──open("x.html", O_WRONLY|O_CREAT)──▶ seccomp ──▶ broker: one of the outputs? opens, hands it over
//
// It is forked before the confined process reads its first untrusted byte. It reads one path per call from that
// process, and nothing else; it opens the parent folder itself, asks the kernel for its path, and acts on the
// descriptor, so that nobody can swap a path between check and use. It ends with the last confined process.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/fd.h"

namespace peregrine {

// What may be written: PATH itself, everything beneath it, and drafts beside it (PATH.ANYTHING, .NAME.ANYTHING). A * in
// the last name stands for any text ("out.*.svg"), a folder ** for any folder ("**/jitted-*.so"). Missing folders on
// the way may be made.
class OutputGrants {
 public:
  explicit OutputGrants(const std::vector<std::string>& outputs);

  // Whether `path`, as the kernel spells it, may be changed.
  bool covers(std::string_view path) const;
  // Whether it is a folder on the way to an output.
  bool leads_to_output(std::string_view path) const;
  // Where an output that is a symbolic link of the user's led at the start; empty for all others.
  std::string behind(std::string_view path) const;

 private:
  struct Pattern {
    std::string folder;  // with a slash at its end; empty: any
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
  // Forks. `otherwise_kernel`: what is not granted goes on to the kernel, which something else guards (Landlock); else
  // it is denied here. Errors: Denied where the broker could not do its work: without /proc, or where Yama forbids it
  // to read this process.
  static Result<FileBroker> start(const std::vector<std::string>& outputs, bool otherwise_kernel);
  FileBroker(FileBroker&& other) noexcept;
  FileBroker& operator=(FileBroker&& other) noexcept;
  ~FileBroker();

  pid_t process() const { return process_; }
  // The descriptor of install_call_filter(); from here on calls are answered.
  Result<> serve(Fd notifications);

 private:
  FileBroker() = default;

  pid_t process_ = -1;
  Fd line_;  // to the broker: before serve() it ends when this is closed
};

}  // namespace peregrine
