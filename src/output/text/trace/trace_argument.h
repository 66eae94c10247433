// Arguments of system calls as text: flags by name, descriptors with their files, strings, structs, socket addresses.
#pragma once
#include <functional>
#include <string_view>

#include "event/syscall/call.h"
#include "output/text/format/script_text.h"

namespace peregrine {

// Where names come from that a call itself does not carry.
class TraceNames {
 public:
  virtual ~TraceNames() = default;
  virtual std::string_view comm(i32 tid) = 0;                  // empty: unknown
  virtual std::string_view file(i32 pid, i64 descriptor) = 0;  // empty: unknown
};

// "READ|WRITE", "0x40"; nothing for zero without a name.
void put_words(ScriptText& out, const WordTable& words, u64 value);
// In hexadecimal; a number if it lies in the lowest page, where no memory is.
void put_address(ScriptText& out, u64 value);
// In quotes, with escapes; "..." behind it when it was cut.
void put_quoted(ScriptText& out, Bytes text, bool cut);
void put_fd(ScriptText& out, TraceNames& names, i32 pid, i64 descriptor);
void put_pid(ScriptText& out, TraceNames& names, i64 pid);
void put_signal(ScriptText& out, i64 number);
// The value of one argument of a call.
void put_argument(ScriptText& out, TraceNames& names, const TracedCall& call, const SyscallSignature& signature,
                  unsigned index);
// Whether linux-perf's habit of leaving out what is zero applies.
bool is_left_out(const TracedCall& call, const SyscallSignature& signature, unsigned index);
// "= 3", "= -1 ENOENT (No such file or directory)", without the "= ".
void put_result(ScriptText& out, TraceNames& names, const TracedCall& call, const SyscallSignature& signature);

}  // namespace peregrine
