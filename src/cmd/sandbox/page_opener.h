// PageOpener: shows a written page in the user's browser (--open).
//
//   PageOpener opener(options.open, file, call);      before the sandbox, which starts no programs: forks a waiting
//   shell … write the file … opener.open();                                    the shell starts $BROWSER or xdg-open in
//   the background
//
// The browser runs like a pager, without root's privileges. Without open(), the shell ends.
#pragma once
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "output/terminal/pager.h"

namespace peregrine::cmd {

class PageOpener {
 public:
  // Opens nothing if `file` is empty. Warns if there is no browser; the file will then only be written.
  PageOpener(const std::string& file, Invocation& call);
  void open();

 private:
  std::optional<Pager> waiting_;
};

// Errors: Usage, --open without a file. `options`: those that write one, with their values.
Result<> check_open(std::string_view file, std::string_view options);

template <auto... Path>
inline constexpr Option kOpenRow{.name = "open",
                                 .help = "open the written page or picture in $BROWSER",
                                 .store = set<Path...>,
                                 .since = Since::Ours};

// Runs a command's function, and opens what it wrote. options.opened_file(): the first file for a browser, or "";
// Options::kOpened: what check_open() suggests.
template <class Options, auto Function>
Result<int> opening(Options& options, Invocation& call) {
  if (!options.open) return Function(options, call);
  const std::string file = options.opened_file();
  PEREGRINE_TRY(check_open(file, Options::kOpened));
  PageOpener opener(file, call);
  auto code = Function(options, call);
  if (code && *code == 0) opener.open();
  return code;
}

}  // namespace peregrine::cmd
