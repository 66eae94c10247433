// ProbeDefinition: where somebody wants a probe and what it is to fetch there, in the words of `probe`:
//
//   [[GROUP:]EVENT=]FUNC[@SRC][+OFFS|:LINE|%return|;PATTERN] [ARG…]
//   [[GROUP:]EVENT=]SRC:LINE | SRC;PATTERN [ARG…]
//   %[sdt_PROVIDER:]NAME, sdt_PROVIDER:NAME, 0xADDRESS
//
//   ARG := [NAME=]VARIABLE[->MEMBER|.MEMBER|[INDEX]]…[:TYPE][@user]      VARIABLE := name | (TYPE)name | %reg | $word …
//
// A backslash takes the meaning from the character behind it. Pure parsing: nothing is looked up.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// One step from a variable to what is in it.
struct FieldStep {
  std::string name;          // of a member; of an index its text
  bool arrow = false;        // through a pointer
  std::optional<i64> index;  // of an element
};

struct ProbeArgument {
  std::string name;      // as the event's field is to be called; empty: from the variable
  std::string variable;  // "size", "%di", "$retval", "+8(%si)"
  std::string cast;      // "struct sock *" of "(struct sock *)p"
  std::vector<FieldStep> fields;
  std::string type;   // behind the colon
  bool user = false;  // @user: memory of the process

  // Whether it names something that debug information knows; else the kernel's own words, to be passed on.
  bool is_variable() const;
  std::string text() const;  // without the name
};

struct ProbePlace {
  std::string function, file, pattern;
  std::optional<u64> address;
  u64 offset = 0;  // bytes from the function's entry
  u32 line = 0;    // of the function, or of the file when no function is given
  bool has_line = false, is_return = false;

  std::string text() const;  // "work:6", "work%return", "@prog.c:45"
};

struct ProbeDefinition {
  std::string group, event;
  ProbePlace place;
  std::vector<ProbeArgument> arguments;
  bool is_marker = false;  // event and group name an SDT marker, or a cached probe

  // Whether an argument of its own has that field already: $vars and $params leave it out then.
  bool has_field(std::string_view name) const;
};

Result<ProbeDefinition> parse_probe(std::string_view text);
// As -V takes it: without arguments.
Result<ProbePlace> parse_probe_place(std::string_view text);

// As -L takes it: FUNC[@SRC][:FIRST[+COUNT|-LAST]] or SRC[:FIRST[+COUNT|-LAST]].
struct LineRange {
  std::string function, file;
  u32 first = 0;
  std::optional<u32> last;
};
Result<LineRange> parse_line_range(std::string_view text);

// A name that C would take.
bool is_c_name(std::string_view name);

}  // namespace peregrine
