#include "output/text/trace/trace_argument.h"

#include <fcntl.h>

#include <cstddef>
#include <cstring>

#include "abi/arch/syscall.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/syscall/signature.h"
#include "event/syscall/word_table.h"
#include "output/text/trace/trace_captured.h"

namespace peregrine {
namespace {

constexpr i64 kCurrentFolder = -100;  // AT_FDCWD
constexpr u64 kPermissions = 0777;
constexpr u64 kDupFd = 0, kGetFd = 1, kSetFd = 2, kGetFl = 3, kSetFl = 4, kGetOwn = 9, kGetLease = 1025,
              kGetPipeSize = 1032, kGetSeals = 1034, kDupFdCloexec = 1030;

// Error numbers that a call returns only if it was interrupted.
std::string_view restart_name(i64 number) {
  switch (number) {
    case 512:
      return "ERESTARTSYS";
    case 513:
      return "ERESTARTNOINTR";
    case 514:
      return "ERESTARTNOHAND";
    case 516:
      return "ERESTART_RESTARTBLOCK";
    default:
      return {};
  }
}

// Like C's "%#o": zero has no prefix.
void put_octal(ScriptText& out, u64 value) {
  if (value == 0) return out.put('0');
  char digits[24];
  char* const end = digits + sizeof digits;
  char* at = end;
  do {
    *--at = static_cast<char>('0' + (value & 7));
    value >>= 3;
  } while (value != 0);
  out.put('0');
  out.put(std::string_view(at, static_cast<std::size_t>(end - at)));
}

void put_escaped(ScriptText& out, unsigned char c) {
  constexpr std::string_view kEscapes = "\a\b\t\n\v\f\r", kLetters = "abtnvfr";
  if (const auto at = kEscapes.find(static_cast<char>(c)); at != kEscapes.npos) {
    out.put('\\');
    out.put(kLetters[at]);
  } else if (c == '"' || c == '\\') {
    out.put('\\');
    out.put(static_cast<char>(c));
  } else if (c >= ' ' && c < 0x7f) {
    out.put(static_cast<char>(c));
  } else {
    out.put('\\');
    out.put(static_cast<char>('0' + (c >> 6)));
    out.put(static_cast<char>('0' + (c >> 3 & 7)));
    out.put(static_cast<char>('0' + (c & 7)));
  }
}

// Writes known commands by name, such as TCGETS, and others as (READ|WRITE, 0x12, 0x72, 0x8): direction, type, number
// and size.
void put_ioctl_command(ScriptText& out, const WordTable& words, u32 command) {
  out.room(64);
  const std::string_view name = words.choice(command);
  if (!name.empty()) return out.put(name);
  const u32 direction = command >> 30, bytes = command >> 16 & 0x3fff;
  if (direction == 0 && bytes == 0) return out.put_hex_prefixed(command);
  out.put(direction == 0 ? "(NONE" : direction == 1 ? "(WRITE" : direction == 2 ? "(READ" : "(READ|WRITE");
  for (const u32 part : {command >> 8 & 0xff, command & 0xff, bytes}) {
    out.put(", ");
    out.put_hex_prefixed(part);
  }
  out.put(')');
}

// Whether an fcntl(2) command takes an argument.
bool takes_argument(u64 command) {
  return command != kGetFd && command != kGetFl && command != kGetOwn && command != kGetLease &&
         command != kGetPipeSize && command != kGetSeals;
}

}  // namespace

void put_words(ScriptText& out, const WordTable& words, u64 value) {
  out.room(words.bits.size() * 24 + 64);
  bool any = false;
  const auto put_next = [&](std::string_view name) {
    if (any) out.put('|');
    any = true;
    out.put(name);
  };
  if (value == 0 || words.mask != 0) {
    const std::string_view choice = words.choice(value & (words.mask == 0 ? ~u64{0} : words.mask));
    if (!choice.empty()) {
      put_next(choice);
      value &= ~words.mask;
    }
  }
  for (const Word& bit : words.bits) {
    if ((value & bit.value) != bit.value) continue;
    put_next(bit.name);
    value &= ~bit.value;
  }
  if (value == 0 && any) return;
  if (any) out.put('|');
  if (words.mask == kPermissions && value <= kPermissions) return put_octal(out, value);
  if (words.bits.empty() && value < 1000) return out.put_decimal(value);
  out.put_hex_prefixed(value);
}

void put_address(ScriptText& out, u64 value) {
  if (value < 4096) return out.put_decimal(value);
  out.put_hex_prefixed(value);
}

void put_quoted(ScriptText& out, Bytes text, bool cut) {
  out.room(text.size() * 4 + 16);
  out.put('"');
  for (const std::byte byte : text) {
    const auto c = static_cast<unsigned char>(byte);
    if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
      out.put(static_cast<char>(c));
    } else {
      put_escaped(out, c);
    }
  }
  out.put('"');
  if (cut) out.put("...");
}

void put_fd(ScriptText& out, TraceNames& names, i32 pid, i64 descriptor) {
  out.room(64);
  out.put_signed(descriptor);
  const std::string_view file = names.file(pid, descriptor);
  if (file.empty()) return;
  out.room(file.size() * 4 + 8);
  out.put('<');
  for (const char c : file) {
    if (static_cast<unsigned char>(c) >= ' ' && c != 0x7f) {
      out.put(c);
    } else {
      put_escaped(out, static_cast<unsigned char>(c));
    }
  }
  out.put('>');
}

void put_pid(ScriptText& out, TraceNames& names, i64 pid) {
  out.room(96);
  out.put_signed(pid);
  const std::string_view comm = pid > 0 ? names.comm(static_cast<i32>(pid)) : std::string_view();
  if (comm.empty()) return;
  out.room(comm.size() + 8);
  out.put(" (");
  out.put(comm);
  out.put(')');
}

void put_signal(ScriptText& out, i64 number) {
  const char* name = number > 0 && number < 32 ? ::sigabbrev_np(static_cast<int>(number)) : nullptr;
  if (name != nullptr) return out.put(std::string_view(name));
  if (number >= 32 && number <= 64) {
    out.put("RT_");
    number -= 32;
  }
  out.put_signed(number);
}

bool is_left_out(const TracedCall& call, const SyscallSignature& signature, unsigned index) {
  const SyscallArgument& argument = signature.arguments[index];
  const u64 value = call.arguments[index];
  // The fd of an anonymous mapping.
  if (argument.kind == ArgumentKind::Fd && signature.result == ResultKind::Hex) return static_cast<i32>(value) == -1;
  if (argument.kind == ArgumentKind::FcntlArgument && !takes_argument(call.arguments[1])) return true;
  if (value != 0) return false;
  switch (argument.kind) {
    case ArgumentKind::Fd:
    case ArgumentKind::DirFd:
      return false;
    case ArgumentKind::IoctlCommand:
      return false;
    case ArgumentKind::Words:
      return !argument.words->shows_zero && (argument.words->mask != 0xffffffff || argument.words->choice(0).empty());
    case ArgumentKind::FcntlArgument:
      return call.arguments[1] != kSetFd && call.arguments[1] != kSetFl;
    default:
      return true;
  }
}

void put_argument(ScriptText& out, TraceNames& names, const TracedCall& call, const SyscallSignature& signature,
                  unsigned index) {
  const SyscallArgument& argument = signature.arguments[index];
  const u64 value = call.arguments[index];
  if (call.pieces != 0 && call.piece_of(index) != nullptr) return put_captured(out, call, signature, index);
  switch (argument.kind) {
    case ArgumentKind::Int:
      return out.put_signed(static_cast<i32>(value));
    case ArgumentKind::Unsigned:
      return out.put_decimal(static_cast<u32>(value));
    case ArgumentKind::Long:
      return out.put_signed(static_cast<i64>(value));
    case ArgumentKind::Size:
      return out.put_decimal(value);
    case ArgumentKind::Hex:
      return out.put_hex_prefixed(static_cast<u32>(value));
    case ArgumentKind::Octal:
      return put_octal(out, static_cast<u32>(value) & 07777777);
    case ArgumentKind::DirFd:
      if (static_cast<i32>(value) == kCurrentFolder) return out.put("CWD");
      [[fallthrough]];
    case ArgumentKind::Fd:
      return put_fd(out, names, call.pid, static_cast<i32>(value));
    case ArgumentKind::Process:
      return put_pid(out, names, static_cast<i32>(value));
    case ArgumentKind::Signal:
      return put_signal(out, static_cast<i32>(value));
    case ArgumentKind::Words:
      return put_words(out, *argument.words, static_cast<u32>(value) == value ? value : static_cast<u32>(value));
    case ArgumentKind::FcntlArgument:
      if (call.arguments[1] == kDupFd || call.arguments[1] == kDupFdCloexec) return out.put_decimal(value);
      if (call.arguments[1] == kSetFd) return out.put(value == 1 ? "CLOEXEC" : "0");
      if (call.arguments[1] == kSetFl) return put_words(out, *argument.words, value);
      return out.put_hex_prefixed(value);
    case ArgumentKind::IoctlCommand:
      return put_ioctl_command(out, *argument.words, static_cast<u32>(value));
    case ArgumentKind::Chosen:
      return put_address(out, value);
    case ArgumentKind::Pointer:
    case ArgumentKind::PrctlArgument:
    case ArgumentKind::Path:
    case ArgumentKind::Strings:
    case ArgumentKind::Variables:
    case ArgumentKind::Buffer:
    case ArgumentKind::Vectors:
    case ArgumentKind::Message:
    case ArgumentKind::OptionValue:
    case ArgumentKind::FdSet:
    case ArgumentKind::CpuSet:
    case ArgumentKind::Struct:
    case ArgumentKind::SocketAddress:
      return out.put_hex_prefixed(value);
  }
}

void put_result(ScriptText& out, TraceNames& names, const TracedCall& call, const SyscallSignature& signature) {
  out.room(128);
  if (call.unended) return out.put('?');
  if (call.failed()) {
    const int number = static_cast<int>(-call.result);
    out.put("-1 ");
    const char* name = ::strerrorname_np(number);
    if (name == nullptr) {
      const std::string_view restart = restart_name(number);
      if (restart.empty()) return out.put_decimal(static_cast<u64>(number));
      out.put(restart);
      return out.put(" (Interrupted, to be restarted)");
    }
    out.put(std::string_view(name));
    out.put(" (");
    out.put(std::string_view(::strerrordesc_np(number)));
    return out.put(')');
  }
  switch (signature.result) {
    case ResultKind::Hex:  // an address
      if (call.set == abi::SyscallSet::I386) return out.put_hex_prefixed(static_cast<u32>(call.result));
      return out.put_hex_prefixed(static_cast<u64>(call.result));
    case ResultKind::Process:
      return put_pid(out, names, call.result);
    case ResultKind::Octal:
      return put_octal(out, static_cast<u64>(call.result));
    case ResultKind::Timeout:
      if (call.result == 0) return out.put("0 (Timeout)");
      return out.put_signed(call.result);
    case ResultKind::Fcntl:
      if (call.arguments[1] == kDupFdCloexec || call.arguments[1] == kDupFd)
        return put_fd(out, names, call.pid, call.result);
      if (call.arguments[1] == kGetFd) return out.put(call.result == 1 ? "CLOEXEC" : "0");
      if (call.arguments[1] == kGetFl)
        return put_words(out, *signature.arguments[2].words, static_cast<u64>(call.result));
      return out.put_signed(call.result);
    case ResultKind::Fd:
    case ResultKind::Number:
      return out.put_signed(call.result);
  }
}

}  // namespace peregrine
