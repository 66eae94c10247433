// Reads build-ids from the ELF notes of files and from the notes of the running kernel and its modules.
#pragma once
#include <string>

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// The first NT_GNU_BUILD_ID note in the contents of a note section or segment; empty if absent. `alignment` is the
// section's: 8 pads to eight bytes, anything else to four.
BuildId find_build_id_note(Bytes notes, ByteOrder order, u64 alignment = 4);

// The build-id of the ELF file at `path`. NotFound if it has none.
Result<BuildId> read_build_id(const std::string& path);

// The build-id in a file of raw notes: /sys/kernel/notes, /sys/module/NAME/notes/.note.gnu.build-id.
Result<BuildId> read_build_id_notes(const std::string& path);

}  // namespace peregrine
