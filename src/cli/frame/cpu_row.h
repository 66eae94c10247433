// The -C option row, shared by analyses of tracepoints.
#pragma once
#include "cli/option/option.h"
#include "cli/option/store.h"

namespace peregrine {

template <auto... Member>
inline constexpr Option kCpuRow{.name = "cpu",
                                .letter = 'C',
                                .value = Value::Required,
                                .metavar = "cpu",
                                .help = "use only these CPUs",
                                .store = set<Member...>};

}  // namespace peregrine
