// ScriptFields: the columns that `script` prints per event type: -F and the defaults.
//
// Parsed from -F, then checked against the recording's events: a default field that an event lacks is dropped, one that
// the user named is an error. Messages are linux-perf's, since programs match them.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_field_rows.h"

namespace peregrine {

// For help and completion.
std::vector<std::string_view> field_names(std::span<const ScriptField> rows);

class ScriptFields {
 public:
  ScriptFields() : ScriptFields(kScriptFields) {}
  // `rows` must begin with kScriptFields, because printers know their positions, and must outlive this and all plans
  // made from it. At most 64; field N has bit N in sets of fields.
  explicit ScriptFields(std::span<const ScriptField> rows);

  // Parses one -F argument: "comm,tid", "trace:time,event", "+period", "-dso". Warnings are complete lines for stderr.
  Result<> parse(std::string_view text, std::vector<std::string>& warnings);
  // Drops or rejects fields that the events lack. `has_traces`: the recording has tracing data.
  Result<> check(const data::Evlist& evlist, const std::vector<std::string>& names, bool has_traces, bool lenient);
  // Adds ip,sym,symoff,dso to tracepoints, the default if they have callchains.
  void show_tracepoint_chains();
  // Like linux-perf for pipes: if samples have stacks, prints ip and sym even if -F names other fields, unless -F
  // removed them.
  void show_pipe_chains(const data::Evlist& evlist);

  std::span<const ScriptField> rows() const { return rows_; }
  u64 of(ScriptType type) const { return sets_[static_cast<std::size_t>(type)].fields; }
  // The fields in of(type) that the user named.
  u64 chosen(ScriptType type) const {
    const Set& set = sets_[static_cast<std::size_t>(type)];
    return set.fields & set.chosen;
  }
  bool user_set(ScriptType type) const { return sets_[static_cast<std::size_t>(type)].user_set; }

 private:
  struct Set {
    u64 fields = 0;
    u64 invalid = 0;  // not applicable to this type
    u64 chosen = 0;   // named by the user
    u64 removed = 0;  // named by the user with '-'
    bool user_set = false;
  };
  struct CheckedEvent {
    const data::Event& event;
    const std::string& name;
    bool has_traces, lenient;
  };
  u64 bit_of(std::string_view name) const;  // 0: no such field
  Error unknown_field(std::string_view word) const;
  Result<> parse_words(std::string_view words, int type, std::vector<std::string>& warnings);
  Result<> apply_word(u64 field, std::string_view word, bool removing, int type, std::vector<std::string>& warnings);
  Result<> check_event(Set& set, const CheckedEvent& checked) const;
  Result<> check_need(Set& set, const FieldNeed& need, u64 sharing, const CheckedEvent& checked) const;

  std::span<const ScriptField> rows_;
  std::array<Set, kScriptTypes> sets_;
};

}  // namespace peregrine
