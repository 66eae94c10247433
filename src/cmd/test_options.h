// The options set by a command line, for the tests in this room.
#pragma once
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"

namespace peregrine::cmd {

// `settings`: from perfconfig. Errors: the command's.
template <class Options>
Result<Options> options_of(const Command& command, const std::vector<std::string>& arguments,
                           std::vector<Setting> settings = {}) {
  Options options;
  if constexpr (requires(const Config& config) { options.configure(config); })
    PEREGRINE_TRY(options.configure(Config::of({}, std::move(settings))));
  auto parsed = parse_options(command.options, command.words_at, arguments, &options, kOwner<Options>);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return options;
}

// The error's message, or "accepted".
template <class Options>
std::string refusal_of(const Command& command, const std::vector<std::string>& arguments,
                       std::vector<Setting> settings = {}) {
  const auto options = options_of<Options>(command, arguments, std::move(settings));
  return options ? "accepted" : options.error().message;
}

}  // namespace peregrine::cmd
