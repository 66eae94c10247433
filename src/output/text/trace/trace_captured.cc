#include "output/text/trace/trace_captured.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/bytes.h"
#include "base/types.h"
#include "event/syscall/layout_choice.h"
#include "event/syscall/signature.h"
#include "event/syscall/struct_layout.h"
#include "output/text/trace/trace_argument.h"
#include "output/text/trace/trace_struct.h"

namespace peregrine {
namespace {

// Writes ["/bin/ls", "-l"] from texts that each end with a NUL.
void put_texts(ScriptText& out, Bytes texts, bool cut) {
  out.room(8);
  out.put('[');
  for (bool first = true; !texts.empty(); first = false) {
    const auto end = static_cast<std::size_t>(std::ranges::find(texts, std::byte{0}) - texts.begin());
    if (!first) out.put(", ");
    put_quoted(out, texts.first(end), end == kLongestText);
    out.room(16);
    texts = texts.subspan(std::min(end + 1, texts.size()));
  }
  out.put(cut ? ", ...]" : "]");
}

// A part of a captured buffer. A header before each part gives its length.
struct Part {
  Bytes bytes;
  bool cut = false;
};
bool next_part(Bytes& parts, Part& part) {
  CapturedPart head;
  if (parts.size() < sizeof head) return false;
  std::memcpy(&head, parts.data(), sizeof head);
  parts = parts.subspan(sizeof head);
  part = {parts.first(std::min<std::size_t>(head.bytes, parts.size())), head.cut != 0};
  parts = parts.subspan(std::min((part.bytes.size() + 3) & ~std::size_t{3}, parts.size()));
  return true;
}

// Writes ["head: ", "body"]. A part that was cut ends in dots.
void put_parts(ScriptText& out, Bytes parts, bool cut) {
  out.room(8);
  out.put('[');
  Part part;
  for (bool first = true; next_part(parts, part); first = false) {
    if (!first) out.put(", ");
    put_quoted(out, part.bytes, part.cut);
    out.room(16);
  }
  out.put(cut ? ", ...]" : "]");
}

// Writes the parts, or { .name: { .family: INET, … }, .iov: ["body"] } for a message with an address.
void put_message(ScriptText& out, Bytes parts, bool cut) {
  Part name;
  if (!next_part(parts, name) || name.bytes.empty()) return put_parts(out, parts, cut);
  out.room(16);
  out.put("{ .name: ");
  put_socket_address(out, name.bytes);
  out.room(16);
  out.put(", .iov: ");
  put_parts(out, parts, cut);
  out.room(8);
  out.put(" }");
}

// Writes [["first"], ["second"]]; each message is one piece.
void put_messages(ScriptText& out, const TracedCall& call, const SyscallSignature& signature, unsigned index) {
  const SyscallArgument& argument = signature.arguments[index];
  const u64 all = argument.filled ? static_cast<u64>(call.result) : static_cast<u32>(call.arguments[argument.count]);
  out.room(8);
  out.put('[');
  u64 shown = 0;
  for (unsigned i = 0; i < call.pieces; ++i) {
    if (call.piece[i].argument != index) continue;
    if (shown++ != 0) out.put(", ");
    put_message(out, call.piece[i].bytes, call.piece[i].cut);
    out.room(16);
  }
  out.put(shown < all ? ", ...]" : "]");
}

// Writes 0x7ffe… /* 23 vars */.
void put_length(ScriptText& out, u64 address, const CapturedPiece& piece) {
  u32 length = 0;
  std::memcpy(&length, piece.bytes.data(), std::min(piece.bytes.size(), sizeof length));
  out.room(64);
  out.put_hex_prefixed(address);
  out.put(" /* ");
  out.put_decimal(length);
  out.put(piece.cut ? " vars or more */" : length == 1 ? " var */" : " vars */");
}

// Writes [1] for an option that is a number.
void put_option(ScriptText& out, const CapturedPiece& piece) {
  i32 number = 0;
  if (piece.bytes.size() != sizeof number || piece.cut) return put_quoted(out, piece.bytes, piece.cut);
  std::memcpy(&number, piece.bytes.data(), sizeof number);
  out.room(16);
  out.put('[');
  out.put_signed(number);
  out.put(']');
}

// Writes { .ws_row: 24, … }, or the address if the command has no known struct or failed to fill it in.
void put_chosen(ScriptText& out, const TracedCall& call, const SyscallArgument& argument, unsigned index) {
  const LayoutChoice::Row* const chosen = argument.choice->of(static_cast<u32>(call.arguments[argument.chooser]));
  const Bytes bytes = call.piece_of(index)->bytes;
  if (chosen == nullptr || (chosen->filled && call.failed())) return put_address(out, call.arguments[index]);
  const StructLayout& layout = *chosen->layout;
  put_structs(out, layout, bytes.first(std::min<std::size_t>(bytes.size(), layout.size)), false, false);
}

}  // namespace

void put_captured(ScriptText& out, const TracedCall& call, const SyscallSignature& signature, unsigned index) {
  const SyscallArgument& argument = signature.arguments[index];
  const CapturedPiece& piece = *call.piece_of(index);
  switch (argument.kind) {
    case ArgumentKind::Struct:
    case ArgumentKind::FcntlArgument:
      return put_structs(out, *argument.layout, piece.bytes, argument.count != kNoCount, piece.cut);
    case ArgumentKind::Chosen:
      return put_chosen(out, call, argument, index);
    case ArgumentKind::SocketAddress:
      return put_socket_address(out, piece.bytes);
    case ArgumentKind::Strings:
      return put_texts(out, piece.bytes, piece.cut);
    case ArgumentKind::Variables:
      return put_length(out, call.arguments[index], piece);
    case ArgumentKind::OptionValue:
      return put_option(out, piece);
    case ArgumentKind::FdSet:
      return put_bits(out, piece.bytes, static_cast<u32>(call.arguments[argument.count]), piece.cut);
    case ArgumentKind::CpuSet:
      return put_bits(out, piece.bytes, ~u32{0}, piece.cut);
    case ArgumentKind::Vectors:
      return put_parts(out, piece.bytes, piece.cut);
    case ArgumentKind::Message:
      if (argument.count < kMostArguments) return put_messages(out, call, signature, index);
      return put_message(out, piece.bytes, piece.cut);
    default:
      return put_quoted(out, piece.bytes, piece.cut);
  }
}

}  // namespace peregrine
