// Terms: the text between an event's slashes, "event=0x3c,period=1000,name=foo", split and typed; and the terms that
// say how to record rather than what to count.
#pragma once
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "event/spec.h"
#include "event/syntax_error.h"

namespace peregrine {

struct Term {
  std::string key;
  std::optional<std::string> value;  // nullopt: a bare word
  std::size_t column = 0;            // of the key, in the user's text
  std::size_t value_column = 0;
  std::optional<u64> number() const;  // 1 for a bare word; nullopt if the value is not a number
};

template <class T>
using Parsed = std::expected<T, SyntaxError>;

inline std::unexpected<SyntaxError> wrong(std::size_t column, std::string what, std::string hint = {}) {
  return std::unexpected(SyntaxError{column, std::move(what), {}, std::move(hint)});
}

// Splits "a=1,b,c=x". A value may be quoted with ' or ". `column` is where the text starts.
Parsed<std::vector<Term>> split_terms(std::string_view text, std::size_t column);

// The names of the terms that every event accepts, for messages: "config,config1,…".
std::string general_term_names();
// True when `key` is such a term.
bool is_general_term(std::string_view key);
// Applies such a term to the event (attr.config*, name, EventTerms).
Parsed<void> apply_general_term(const Term& term, EventSpec& spec);
// Whether a tracepoint accepts it: only terms that say how to record.
bool tracepoint_takes(std::string_view key);

}  // namespace peregrine
