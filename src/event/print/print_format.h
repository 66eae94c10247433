// PrintFormat: the `print fmt` of a tracepoint, compiled to a flat list of steps that print one record in a fraction of
// a microsecond.
//
//   print fmt: "comm=%s pid=%d", REC->comm, REC->pid  ─▶  Text "comm=" │ String field │ Text " pid=" │ Number field
//
// Text equals linux-perf 6.1's. Formats and records are untrusted: every bound is checked, nesting is limited. A format
// that is not understood prints its fields by name. Immutable once compiled: any number of threads may print.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text_buffer.h"
#include "event/field/trace_format.h"
#include "event/field/trace_value.h"
#include "event/print/print_names.h"

namespace peregrine {

// What an address is, for %pS and its kin. The views live until the next question.
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

// What a recording says of the machine that made it.
struct TraceMachine {
  ByteOrder order = kHostOrder;
  u8 long_size = 8;
  u32 page_size = 4096;
  std::string_view printk_formats;  // "0xaddr : \"text\"" lines: strings that records hold the addresses of
};

class PrintFormat {
 public:
  struct Program;  // print_program.h

  // `format` is copied where it is needed.
  PrintFormat(const TraceFormat& format, const TraceMachine& machine);
  PrintFormat(PrintFormat&&) noexcept;
  PrintFormat& operator=(PrintFormat&&) noexcept;
  ~PrintFormat();

  // No step begins once a record's text is longer: formats and records come from strangers.
  static constexpr std::size_t kMostText = std::size_t{1} << 17;
  // Appends the text of one record; makes room for it. Without `names` addresses stay numbers.
  void print(TextBuffer& out, Bytes record, AddressNames* names) const;
  // All its fields by name, as they are: " pid=7 comm=bash".
  void print_fields(TextBuffer& out, Bytes record) const;
  // Why only fields are printed; empty when the format was understood.
  const std::string& complaint() const;

  // The tables of __print_flags and __print_symbolic, in the order in which they stand in the format.
  const std::vector<PrintNames>& names() const;
  const PrintNames* names_of(std::string_view field) const;  // nullptr: the field is shown as it is
  ByteOrder order() const;

  // From now on bitmaps are shown as lists, "0-3,7", and not as words.
  void list_bits();
  // Whether the field is a bitmap, and they are lists; put_bits() writes it.
  bool is_bit_list(std::string_view field) const;
  void put_bits(TextBuffer& out, std::string_view field, Bytes record) const;

 private:
  std::unique_ptr<Program> program_;
};

}  // namespace peregrine
