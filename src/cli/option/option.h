// Option: one row of a command's option table. The rows of a command are one constexpr array. Parser, -h, help pages,
// man pages and shell completion are all generated from it.
//
//   struct EchoOptions { bool loud = false; int verbose = 0; std::string name; std::vector<std::string> events; };
//   constexpr Option kEchoOptions[] = {
//       {.name = "loud", .letter = 'l', .help = "shout", .store = set<&EchoOptions::loud>},
//       {.name = "verbose", .letter = 'v', .help = "be more verbose", .store = count<&EchoOptions::verbose>},
//       {.name = "name", .value = Value::Required, .metavar = "name", .help = "whom to greet", .store =
//       set<&EchoOptions::name>},
//       {.name = "event", .letter = 'e', .value = Value::Required, .metavar = "event", .help = "may be repeated",
//        .store = set<&EchoOptions::events>},
//       {.name = "aio", .value = Value::Sticky, .metavar = "n", .help = "known by name, not built yet", .implied =
//       "1"},
//   };
//
// Stores are called in the order of the command line, so a callback may depend on what came before it (`--filter`).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace peregrine {

enum class Value {
  None,      // --x
  Required,  // --x=v, --x v, -xv, -x v
  Sticky,    // --x, --x=v, -xv: a following word is never taken
  NextWord,  // like Required, but without a value if the next word starts with '-' or is missing
};

enum class Shown { Everywhere, Hidden };  // Hidden: accepted, but not in completion or help
enum class Since { LinuxPerf, Ours };     // Ours: listed separately in the help, cannot be abbreviated

struct Option;

// One use of an option on the command line.
struct Use {
  const Option* option = nullptr;
  std::string_view value;    // the row's `implied` if no value was given; empty if negated
  bool has_value = false;    // the user gave a value
  bool negated = false;      // --no-x, or --x for an option named no-x
  std::string_view spelled;  // as written, without the value: "--freq", "-F"
};

// How a use changes the command's options struct. Created by the templates in store.h; the tag checks the struct's
// type.
using TypeTag = const void*;
struct Store {
  Result<> (*apply)(void* options, const Use& use) = nullptr;
  TypeTag owner = nullptr;
  constexpr explicit operator bool() const { return apply != nullptr; }
};

struct Option {
  std::string_view name = {};  // long name without dashes; may be empty if there is a letter
  char letter = 0;             // 0 if there is only a name
  Value value = Value::None;
  std::string_view metavar = {};  // placeholder for the value in the help, without < >
  std::string_view help = {};     // help_text() inserts the possible values in place of "{words}"
  Store store = {};               // unset: a known linux-perf option; using it is an Unsupported error
  std::string_view implied = {};  // Sticky, NextWord: the default value
  std::string_view group = {};    // heading in the manual page; empty: "Options"
  Shown shown = Shown::Everywhere;
  Since since = Since::LinuxPerf;
  // The possible items of the value's list, for completion and help. Unset: those of the metavar "a|b|c".
  std::vector<std::string_view> (*words)() = nullptr;
};

// The possible values of an option, separated by blanks: items of a list, or the choices in the metavar. Empty if the
// value may be anything.
std::string value_words(const Option& option);
// The option's help, with the possible values in place of "{words}".
std::string help_text(const Option& option);

}  // namespace peregrine
