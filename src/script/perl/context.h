// Perf::Trace::Context: the module with which subs query the current event.
#pragma once
#include "base/types.h"
#include "script/perl/perl_script.h"

namespace peregrine::script {

// The `xs_init` of perl_parse().
void start_extensions(pTHX);
// Sets the script that the module's functions query.
void give_context(pTHX_ PerlScript* script);
// The $context argument of subs.
i64 context_number(const PerlScript* script);

}  // namespace peregrine::script
