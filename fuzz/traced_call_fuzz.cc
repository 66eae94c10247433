// A system call with arbitrary numbers and memory, as a line of `trace`; also the arguments of its -e.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "abi/arch/syscall.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/syscall/call.h"
#include "event/syscall/call_choice.h"
#include "event/syscall/signature.h"
#include "input.h"
#include "output/text/format/script_text.h"
#include "output/text/trace/trace_argument.h"
#include "output/text/trace/trace_line.h"

namespace peregrine {
namespace {

class Nobody : public TraceNames {
 public:
  std::string_view comm(i32 tid) override { return tid % 2 == 0 ? "comm" : ""; }
  std::string_view file(i32, i64 descriptor) override { return descriptor == 3 ? "/a\nb" : ""; }
};

struct Tables {
  Signatures x86{abi::SyscallSet::X86_64}, i386{abi::SyscallSet::I386}, generic{abi::SyscallSet::Generic};
};

// The number, then the arguments and the result, then up to four pieces: argument, length, bytes.
TracedCall call_of(ByteReader& reader) {
  TracedCall call;
  const u8 kind = reader.get8();
  call.set = (kind & 1) != 0 ? abi::SyscallSet::I386 : abi::SyscallSet::X86_64;
  call.continued = (kind & 2) != 0;
  call.resumed = (kind & 4) != 0;
  call.unended = (kind & 8) != 0;
  call.number = reader.get16();
  call.start = reader.get64();
  call.duration = reader.get32();
  for (u64& argument : call.arguments) argument = reader.get64();
  call.result = static_cast<i64>(reader.get64());
  while (reader.left() > 2 && call.pieces < call.piece.size()) {
    const u8 argument = reader.get8(), size = reader.get8();
    const Bytes bytes = reader.take(std::min<std::size_t>(size, reader.left()));
    call.piece[call.pieces++] = {static_cast<u8>(argument % kMostArguments), (argument & 64) != 0, bytes};
  }
  return call;
}

}  // namespace
}  // namespace peregrine

void peregrine::fuzz_traced_call(Bytes bytes) {
  static const Tables tables;
  ByteReader reader(bytes);
  const TracedCall call = call_of(reader);
  Nobody names;
  for (const Signatures* wide : {&tables.x86, &tables.generic}) {
    TraceLine line(*wide, tables.i386, names, {.show_zeros = true});
    ScriptText out;
    line.put(out, call);
    line.put_interrupted(out, call);
  }
  if (bytes.empty() || static_cast<u8>(bytes[0]) < 128) return;
  CallChoice choice;
  std::vector<std::string> others;
  if (!choice.add(as_text(bytes).substr(1, 40), others)) return;
  static_cast<void>(choice.chosen(tables.x86));
}
