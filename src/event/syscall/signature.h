// Signatures: what each system call takes and gives back, for one kind of process. Made once per run from the tables
// beside this file; who captures memory and who prints arguments both go by them.
#pragma once
#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "abi/arch/syscall.h"
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
  DirFd,  // CWD or a descriptor
  Process,
  Signal,
  Path,
  Strings,    // an array of pointers to texts, the last one null
  Variables,  // such an array, of which the length is told
  Buffer,
  Vectors,  // what an array of struct iovec names
  Message,  // what a struct msghdr names, or with a count an array of struct mmsghdr
  Struct,
  SocketAddress,
  OptionValue,  // of a socket: a number mostly
  FdSet,        // a bit for each descriptor below a count
  CpuSet,       // a bit for each CPU, so many bytes
  Words,
  FcntlArgument,  // its kind depends on the command
  PrctlArgument,  // on the option
  Chosen,         // a struct, or a number, by a command
  IoctlCommand,
};
enum class ResultKind : u8 { Number, Hex, Process, Fd, Timeout, Fcntl, Octal };

// fcntl(2)'s commands that take a struct flock, prctl(2)'s options that take a text, as bits.
inline constexpr u64 kLockCommands = u64{7} << 5 | u64{7} << 36, kTextOptions = u64{1} << 15;

inline constexpr unsigned kMostArguments = 6;
inline constexpr u8 kNoCount = 0xff, kCountIsResult = 0xfe;

struct SyscallArgument {
  std::string_view name;
  ArgumentKind kind = ArgumentKind::Long;
  bool filled = false;    // the call writes it: known when it has ended
  bool changed = false;   // the call reads and writes it: read when it has ended, whatever came of it
  u8 count = kNoCount;    // argument that holds how many bytes or structs there are
  u8 chooser = kNoCount;  // argument that says which of `choice` it is
  const WordTable* words = nullptr;
  const StructLayout* layout = nullptr;
  const LayoutChoice* choice = nullptr;
};

struct SyscallSignature {
  std::string_view name;  // empty: a number without a name
  bool known = false;     // its arguments are
  u8 count = 0;
  ResultKind result = ResultKind::Number;
  std::array<SyscallArgument, kMostArguments> arguments;
};

class Signatures {
 public:
  explicit Signatures(abi::SyscallSet set);
  // A number that nothing is known of has an empty signature.
  const SyscallSignature& of(u32 number) const { return number < calls_.size() ? calls_[number] : unknown_; }
  std::size_t size() const { return calls_.size(); }
  abi::SyscallSet set() const { return set_; }
  // Structs are laid out as StructLayouts::replace() has it from now on.
  void replace_layouts(const std::function<std::optional<StructLayout>(const StructLayout&)>& from) {
    layouts_->replace(from);
  }

 private:
  abi::SyscallSet set_;
  std::unique_ptr<WordTables> words_;  // stay where they are
  std::unique_ptr<StructLayouts> layouts_;
  std::unique_ptr<LayoutChoices> choices_;
  std::vector<SyscallSignature> calls_;  // by number
  SyscallSignature unknown_;
};

}  // namespace peregrine
