// kernel_filter: translates a tracepoint filter from the user's syntax to the kernel's, and checks it against the
// event's fields.
//
//   filter  := all ('||' all)*      all := one ('&&' one)*      one := '!' one | '(' filter ')' | test
//   test    := FIELD OPERATOR VALUE
//
// Numbers have == != < <= > >= and &; strings have == != ~ (a glob) and !~. Extensions of the kernel's grammar: strings
// need no quotes, device numbers may be 8:0, numbers may be the names the event prints (GFP_KERNEL), and negative
// numbers fit unsigned fields. The event's format file (TraceFormat) is as untrusted as the filter.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/syntax_error.h"
#include "event/term.h"

namespace peregrine {

Parsed<std::string> kernel_filter(std::string_view filter, const TraceFormat& format);

// The operators for a field, separated by spaces; "none" if it cannot be compared.
std::string filter_operators(const TraceField& field);

// The value of a name in the event's print format for a field's values or flags ("A|B" is both).
std::optional<u64> symbol_value(const TraceFormat& format, std::string_view field, std::string_view name);

// The text with a caret under the error, and the message. `what` it is: "filter", or an option with an expression.
Error format_filter_error(std::string_view filter, const SyntaxError& error, std::string_view what = "filter");

}  // namespace peregrine
