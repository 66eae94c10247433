// Which options of stat can be combined. All errors are of kind Usage.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cmd/stat/stat_options.h"

namespace peregrine::cmd {

Result<> check_options(const StatOptions& options, std::string_view program);
// --iostat: port traffic is counted for the whole machine, and nothing else at the same time.
Result<> check_ports(const StatOptions& options);
Result<> check_multipass(const StatOptions& options);
// `other`: the command given by --vs.
Result<> check_versus(const StatOptions& options, const std::vector<std::string>& other);

}  // namespace peregrine::cmd
