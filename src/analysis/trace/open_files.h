// OpenFiles: the files behind a traced process's descriptors, as far as its calls show; otherwise from /proc, read once
// per descriptor.
//
// Call note() after each call was shown. /proc shows the present, a little after the call: a descriptor closed
// meanwhile has no name. One thread.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "event/syscall/call.h"
#include "event/syscall/signature.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

class OpenFiles {
 public:
  // `live`: the processes are running on this machine.
  OpenFiles(const Signatures& wide, const Signatures& narrow, bool live);

  // Empty if unknown. Valid until the next note().
  std::string_view path(Pid pid, i64 fd);
  void note(const TracedCall& call);
  // The file behind a descriptor, from another source than the calls.
  void know(Pid pid, i64 fd, std::string_view path) { set_path(pid, fd, path); }
  // A new process has the descriptors of its parent.
  void inherit(Pid parent, Pid child);
  // Number of /proc lookups.
  u64 asked() const { return asked_; }

 private:
  enum class Effect : u8 { None, Opens, Makes, MakesSocket, Copies, MayCopy, Closes, ClosesAll, Executes };
  struct File {
    bool known = false;
    bool is_socket = false;  // from the calls: /proc may already show a later file
    std::string path;
  };
  using Files = std::vector<File>;

  Files& files(Pid pid);
  void forget(Pid pid, i64 fd, bool is_socket = false);
  void set_path(Pid pid, i64 fd, std::string_view path);
  static std::vector<Effect> effects(const Signatures& signatures);

  std::vector<Effect> wide_, narrow_;  // by number
  bool live_;
  Root root_;
  std::unordered_map<Pid, Files> by_process_;
  Pid last_pid_ = -1;
  Files* last_ = nullptr;
  u64 asked_ = 0;
};

}  // namespace peregrine
