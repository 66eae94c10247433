// ScriptText: the output buffer for a slice of `script`.
#pragma once
#include "base/text/text_buffer.h"

namespace peregrine {

using ScriptText = TextBuffer;

}  // namespace peregrine
