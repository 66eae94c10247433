#include "cmd/recording/debug_servers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "base/number/parse_number.h"
#include "base/types.h"
#include "cli/frame/config.h"
#include "symbol/lookup/debug_server.h"

namespace peregrine::cmd {

std::string debug_server_folder(const Config& config) {
  if (const auto chosen = config.variable("DEBUGINFOD_CACHE_PATH"); chosen && !chosen->empty())
    return std::string(*chosen);
  const std::string home = config.home();
  std::string old = home + "/.debuginfod_client_cache";
  if (!home.empty() && ::access(old.c_str(), F_OK) == 0) return old;
  if (const auto cache = config.variable("XDG_CACHE_HOME"); cache && !cache->empty())
    return fmt::format("{}/debuginfod_client", *cache);
  return home.empty() ? std::string() : home + "/.cache/debuginfod_client";
}

namespace {

std::string urls_of(const std::string& wanted, const Config& config) {
  if (!wanted.empty()) return wanted;
  if (const auto urls = config.variable("DEBUGINFOD_URLS")) return std::string(*urls);
  return config.text("buildid-cache.debuginfod", "");
}

// According to the library's environment variables.
TransferLimits limits_of(const Config& config) {
  TransferLimits limits;
  const auto chosen = [&](std::string_view name) {
    const auto text = config.variable(name);
    return text ? leading_number<u64>(*text).value_or(0) : 0;
  };
  constexpr u64 kLongest = 1'000'000;  // seconds
  if (const u64 bytes = chosen("DEBUGINFOD_MAXSIZE")) limits.bytes = std::min<u64>(bytes, u64{1} << 62);
  if (const u64 time = chosen("DEBUGINFOD_MAXTIME"))
    limits.transfer = std::chrono::seconds(static_cast<i64>(std::min(time, kLongest)));
  return limits;
}

}  // namespace

DebugServerRequest debug_server_request(const std::string& urls, const Config& config) {
  return {.urls = urls_of(urls, config), .folder = debug_server_folder(config), .limits = limits_of(config)};
}

std::unique_ptr<DebugServer> open_debug_servers(const std::optional<std::string>& wanted, Invocation& call) {
  if (!wanted) return nullptr;
  return open_debug_servers(debug_server_request(*wanted, call.config), call.messages);
}

}  // namespace peregrine::cmd
