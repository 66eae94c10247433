// ScriptText: the buffer that a slice of `script` is rendered into.
#pragma once
#include "base/text/text_buffer.h"

namespace peregrine {

using ScriptText = TextBuffer;

}  // namespace peregrine
