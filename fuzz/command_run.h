// CommandRun: runs whole commands, as the program would, on a fuzzer's bytes.
//
// A run writes the recording to a scratch folder, calls cmd::run_program in this process with the standard descriptors
// redirected to files, and checks the command's output. Invalid output, more than kMostOutput bytes of it, a control
// character in a message, or an undefined exit code abort the process with the reason on stderr. One per process,
// because it uses the process's standard descriptors.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/types.h"
#include "command_targets.h"

namespace peregrine {

class CommandRun {
 public:
  static constexpr u64 kMostOutput = u64{128} << 20;

  CommandRun();
  ~CommandRun();
  CommandRun(const CommandRun&) = delete;
  CommandRun& operator=(const CommandRun&) = delete;

  // One input of a target: see command_targets.h.
  void run(const CommandTarget& target, Bytes input);
  // Where "@out" was; the run before left it there.
  std::string output_path() const { return folder_ + "/out"; }
  // Keeps "@out" after the following runs, for debugging.
  void keep_output() { keep_output_ = true; }

 private:
  void write_files() const;
  void put_recordings(Bytes recordings) const;
  std::vector<std::string> words_of(const CommandLine& line) const;
  int call(std::vector<std::string> words);
  void check(const CommandLine& line, int code) const;
  // Everything written to a descriptor's file.
  std::string written_to(const Fd& fd) const;
  [[noreturn]] void fail_with(std::string_view line, std::string_view what) const;

  std::string folder_;
  std::vector<std::string> environment_;
  Fd here_;          // the process's current folder
  Fd out_, errors_;  // what commands write to
  Fd saved_[3];      // the process's own
  bool keep_output_ = false;
};

}  // namespace peregrine
