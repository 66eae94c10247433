// ProbeDefinition: where the user wants a probe and what it fetches there, in the syntax of `probe`:
//
//   [[GROUP:]EVENT=]FUNC[@SRC][+OFFS|:LINE|%return|;PATTERN] [ARG…]
//   [[GROUP:]EVENT=]SRC:LINE | SRC;PATTERN [ARG…]
//   %[sdt_PROVIDER:]NAME, sdt_PROVIDER:NAME, 0xADDRESS
//
//   ARG := [NAME=]VARIABLE[->MEMBER|.MEMBER|[INDEX]]…[:TYPE][@user]      VARIABLE := name | (TYPE)name | %reg | $word …
//
// A backslash escapes the next character. This only parses; it looks nothing up.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// One step from a variable into its contents.
struct FieldStep {
  std::string name;          // of the member, or the text of the index
  bool arrow = false;        // dereferences a pointer
  std::optional<i64> index;  // of the element
};

struct ProbeArgument {
  std::string name;      // name of the event's field; empty: derived from the variable
  std::string variable;  // "size", "%di", "$retval", "+8(%si)"
  std::string cast;      // "struct sock *" of "(struct sock *)p"
  std::vector<FieldStep> fields;
  std::string type;   // after the colon
  bool user = false;  // @user: memory of the process

  // True if it names a variable in debug information; otherwise it is kernel syntax that is passed through.
  bool is_variable() const;
  std::string text() const;  // without the field name
};

struct ProbePlace {
  std::string function, file, pattern;
  std::optional<u64> address;
  u64 offset = 0;  // bytes from the function's entry
  u32 line = 0;    // relative to the function, or in the file if no function is given
  bool has_line = false, is_return = false;

  std::string text() const;  // "work:6", "work%return", "@prog.c:45"
};

struct ProbeDefinition {
  std::string group, event;
  ProbePlace place;
  std::vector<ProbeArgument> arguments;
  bool is_marker = false;  // event and group name an SDT marker, or a cached probe

  // True if an explicit argument already has that field; $vars and $params then skip it.
  bool has_field(std::string_view name) const;
};

Result<ProbeDefinition> parse_probe(std::string_view text);
// The argument of -V: a definition without arguments.
Result<ProbePlace> parse_probe_place(std::string_view text);

// The argument of -L: FUNC[@SRC][:FIRST[+COUNT|-LAST]] or SRC[:FIRST[+COUNT|-LAST]].
struct LineRange {
  std::string function, file;
  u32 first = 0;
  std::optional<u32> last;
};
Result<LineRange> parse_line_range(std::string_view text);

// True for a valid C identifier.
bool is_c_name(std::string_view name);

}  // namespace peregrine
