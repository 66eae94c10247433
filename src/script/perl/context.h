// Perf::Trace::Context: what subs ask about the event that they were called for.
#pragma once
#include "script/perl/perl_script.h"

namespace peregrine::script {

// The `xs_init` of perl_parse().
void start_extensions(pTHX);
// Whom the functions of the module ask, from now on.
void give_context(pTHX_ PerlScript* script);
// What a sub is given as $context.
i64 context_number(const PerlScript* script);

}  // namespace peregrine::script
