// Branch stacks as `script` writes them: -F brstack, brstacksym, brstackoff.
#pragma once
#include <string>

#include "machine/resolver/resolver.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// Which of the three (the first that is asked for, in this order), and whether dsos go with them, is told by `fields`
// (script_field bits). `words` is scratch.
void put_branches(ScriptText& out, const ReplaySample& sample, Resolver& resolver, u64 fields, std::string& words);

}  // namespace peregrine
