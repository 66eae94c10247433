// Where build-ids are found: ELF notes of a file, and the notes of the running kernel and its modules.
#pragma once
#include <string>
#include <vector>

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/result.h"

namespace peregrine {

// The first NT_GNU_BUILD_ID note in the contents of a note section or segment; empty when there is none.
// `alignment` is that of the section: 8 pads to eight bytes, all else to four.
BuildId find_build_id_note(Bytes notes, ByteOrder order, u64 alignment = 4);

// The id of the ELF file at `path`. NotFound when the file has none.
Result<BuildId> read_build_id(const std::string& path);

// The id in a file of raw notes: /sys/kernel/notes, /sys/module/NAME/notes/.note.gnu.build-id.
Result<BuildId> read_build_id_notes(const std::string& path);

}  // namespace peregrine
