// Signatures: arguments and results of each system call, for one kind of process. Built once per run from the tables
// here; used to capture memory and to print arguments.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "abi/arch/syscall.h"
#include "base/types.h"
#include "event/syscall/layout_choice.h"
#include "event/syscall/struct_layout.h"
#include "event/syscall/word_table.h"

namespace peregrine {

enum class ArgumentKind : u8 {
  Int,       // 32 bits, signed
  Unsigned,  // 32 bits
  Long,      // 64 bits, signed
  Size,      // 64 bits
  Pointer,
  Hex,
  Octal,
  Fd,
  DirFd,  // AT_FDCWD or a descriptor
  Process,
  Signal,
  Path,
  Strings,    // an array of string pointers, null-terminated
  Variables,  // the same, only its length is shown
  Buffer,
  Vectors,  // the memory that an array of struct iovec refers to
  Message,  // the contents of a struct msghdr, or with a count of a struct mmsghdr array
  Struct,
  SocketAddress,
  OptionValue,  // of a socket; usually a number
  FdSet,        // one bit per descriptor below a count
  CpuSet,       // one bit per CPU, a given number of bytes
  Words,
  FcntlArgument,  // depends on the command
  PrctlArgument,  // depends on the option
  Chosen,         // a struct or number, depending on a command
  IoctlCommand,
};
enum class ResultKind : u8 { Number, Hex, Process, Fd, Timeout, Fcntl, Octal };

// Bit masks of fcntl(2)'s commands with a struct flock and prctl(2)'s options with a string.
inline constexpr u64 kLockCommands = u64{7} << 5 | u64{7} << 36, kTextOptions = u64{1} << 15;

inline constexpr unsigned kMostArguments = 6;
inline constexpr u8 kNoCount = 0xff, kCountIsResult = 0xfe;

struct SyscallArgument {
  std::string_view name;
  ArgumentKind kind = ArgumentKind::Long;
  bool filled = false;    // the call writes it: valid after it ended
  bool changed = false;   // the call reads and writes it: read after it ended, even on failure
  u8 count = kNoCount;    // index of the argument with the number of bytes or structs
  u8 chooser = kNoCount;  // index of the argument that selects from `choice`
  const WordTable* words = nullptr;
  const StructLayout* layout = nullptr;
  const LayoutChoice* choice = nullptr;
};

struct SyscallSignature {
  std::string_view name;  // empty: unknown number
  bool known = false;     // its arguments are known
  u8 count = 0;
  ResultKind result = ResultKind::Number;
  std::array<SyscallArgument, kMostArguments> arguments;
};

class Signatures {
 public:
  explicit Signatures(abi::SyscallSet set);
  // Empty for an unknown number.
  const SyscallSignature& of(u32 number) const { return number < calls_.size() ? calls_[number] : unknown_; }
  std::size_t size() const { return calls_.size(); }
  abi::SyscallSet set() const { return set_; }
  // From now on uses struct layouts from StructLayouts::replace().
  void replace_layouts(const std::function<std::optional<StructLayout>(const StructLayout&)>& from) {
    layouts_->replace(from);
  }

 private:
  abi::SyscallSet set_;
  std::unique_ptr<WordTables> words_;  // at stable addresses
  std::unique_ptr<StructLayouts> layouts_;
  std::unique_ptr<LayoutChoices> choices_;
  std::vector<SyscallSignature> calls_;  // by number
  SyscallSignature unknown_;
};

}  // namespace peregrine
