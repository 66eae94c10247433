// System call arguments as text: flags by name, descriptors with their files, strings, structs, socket addresses.
#pragma once
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
#include "event/syscall/call.h"
#include "event/syscall/signature.h"
#include "event/syscall/word_table.h"
#include "output/text/format/script_text.h"

namespace peregrine {

// Supplies names that a call does not contain.
class TraceNames {
 public:
  virtual ~TraceNames() = default;
  virtual std::string_view comm(i32 tid) = 0;                  // empty: unknown
  virtual std::string_view file(i32 pid, i64 descriptor) = 0;  // empty: unknown
};

// "READ|WRITE", "0x40"; nothing for an unnamed zero.
void put_words(ScriptText& out, const WordTable& words, u64 value);
// Hexadecimal, or decimal within the lowest page, where nothing is mapped.
void put_address(ScriptText& out, u64 value);
// Quoted and escaped; "..." follows if it was cut.
void put_quoted(ScriptText& out, Bytes text, bool cut);
void put_fd(ScriptText& out, TraceNames& names, i32 pid, i64 descriptor);
void put_pid(ScriptText& out, TraceNames& names, i64 pid);
void put_signal(ScriptText& out, i64 number);
// The value of one argument of a call.
void put_argument(ScriptText& out, TraceNames& names, const TracedCall& call, const SyscallSignature& signature,
                  unsigned index);
// Whether to omit a zero argument, as linux-perf does.
bool is_left_out(const TracedCall& call, const SyscallSignature& signature, unsigned index);
// "= 3", "= -1 ENOENT (No such file or directory)", without the "= ".
void put_result(ScriptText& out, TraceNames& names, const TracedCall& call, const SyscallSignature& signature);

}  // namespace peregrine
