// EventQuery: what a searched event must match, typed by the user. The page of `view` has the same terms.
//
//   text          in the event's name, its task or one of its texts, in any case
//   field=value   also != < > <= >=, and ~ for text within; fields are those of the tracepoint, and event, comm, pid,
//   tid, cpu
//
// Whole numbers, decimal or hexadecimal after 0x, compare exactly. An event has two names, with and without its system:
// = holds if either name matches, != if neither does. All terms must hold. Quotes keep words together.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace peregrine {

class EventQuery {
 public:
  explicit EventQuery(std::string_view text);
  bool empty() const { return terms_.empty(); }

  // An event, as far as terms look at it. `field`: the text of a field, nothing if the event has none of that name.
  // `any_text`: whether one of its texts, or its task, contains the lower-case text.
  struct Subject {
    std::string_view event;
    std::function<std::optional<std::string>(std::string_view name)> field;
    std::function<bool(std::string_view lower_case)> any_text;
  };
  bool matches(const Subject& subject) const;

 private:
  enum class Operator : u8 { Text, Equal, Unequal, Less, Greater, AtMost, AtLeast, Contains };
  struct Term {
    Operator how = Operator::Text;
    std::string field, value;
  };
  static Term parse(std::string_view word);
  static bool holds(const Term& term, std::string_view text);
  static bool holds_for_event(const Term& term, std::string_view name);

  std::vector<Term> terms_;
};

}  // namespace peregrine
