// kwork -b: measures inside the kernel, without a recording, while a command runs or until a signal arrives.
#pragma once
#include <chrono>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cmd/recording/traced_recording.h"

namespace peregrine::cmd {

template <auto... Member>
inline constexpr Option kUseBpfRow{.name = "use-bpf",
                                   .letter = 'b',
                                   .help =
                                       "measure in the kernel with BPF until the command ends or Ctrl-C, without a "
                                       "recording",
                                   .store = set<Member...>,
                                   .since = Since::Ours};

// Errors (Usage): options or arguments that are invalid with -b, or without it.
Result<> check_use_bpf(bool use_bpf, const TracedInput& input, std::string_view times, std::chrono::milliseconds limit,
                       const Invocation& call);

}  // namespace peregrine::cmd
