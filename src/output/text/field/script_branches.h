// Branch stacks in `script`: -F brstack, brstacksym, brstackoff.
#pragma once
#include <string>

#include "machine/resolver/resolver.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// `fields` (script_field bits) selects one of the three (the first one set, in this order), and whether to add dsos.
// `words` is scratch.
void put_branches(ScriptText& out, const ReplaySample& sample, Resolver& resolver, u64 fields, std::string& words);

}  // namespace peregrine
