// PrintFormat: a tracepoint's `print fmt`, compiled to a flat list of steps that print one record in a fraction of a
// microsecond.
//
//   print fmt: "comm=%s pid=%d", REC->comm, REC->pid  ─▶  Text "comm=" │ String field │ Text " pid=" │ Number field
//
// The text equals linux-perf 6.1's. Formats and records are untrusted: all bounds are checked and nesting is limited. A
// format that does not parse prints its fields by name. Immutable once compiled, so thread safe.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/text/text_buffer.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_names.h"

namespace peregrine {

// The symbol of an address, for %pS etc. Views are valid until the next lookup.
struct AddressName {
  std::string_view symbol;
  u64 offset = 0;           // from the start of the symbol
  std::string_view module;  // empty for the kernel itself
};
class AddressNames {
 public:
  virtual ~AddressNames() = default;
  virtual std::optional<AddressName> find(u64 address) = 0;
};

// The recorded machine.
struct TraceMachine {
  ByteOrder order = kHostOrder;
  u8 long_size = 8;
  u32 page_size = 4096;
  std::string_view printk_formats;  // "0xaddr : \"text\"" lines: strings that records refer to by address
};

class PrintFormat {
 public:
  struct Program;  // print_program.h

  // Copies what it needs of `format`.
  PrintFormat(const TraceFormat& format, const TraceMachine& machine);
  PrintFormat(PrintFormat&&) noexcept;
  PrintFormat& operator=(PrintFormat&&) noexcept;
  ~PrintFormat();

  // No step starts once a record's text is longer: formats and records are untrusted.
  static constexpr std::size_t kMostText = std::size_t{1} << 17;
  // Appends the text of one record, with printable values; reserves space. Without `names`, addresses are printed as
  // numbers.
  void print(TextBuffer& out, Bytes record, AddressNames* names) const;
  // All fields by name, unformatted: " pid=7 comm=bash".
  void print_fields(TextBuffer& out, Bytes record) const;
  // Why only fields are printed; empty if the format was parsed.
  const std::string& complaint() const;

  // The tables of __print_flags and __print_symbolic, in order of appearance.
  const std::vector<PrintNames>& names() const;
  const PrintNames* names_of(std::string_view field) const;  // nullptr: the field has no table
  ByteOrder order() const;
  // Whether the field is printed as the symbol at its address: %ps, %pS.
  bool is_symbol(std::string_view field) const;

  // From now on prints bitmaps as lists, "0-3,7", instead of words.
  void list_bits();
  // Whether the field is a bitmap to be printed as a list with put_bits().
  bool is_bit_list(std::string_view field) const;
  void put_bits(TextBuffer& out, std::string_view field, Bytes record) const;

 private:
  std::unique_ptr<Program> program_;
};

}  // namespace peregrine
