// CodeReader: the instruction bytes at the frames of a machine, for one worker.
//
// Files are opened at the first question for each dso and kept open; each question reads the file.
#pragma once
#include <optional>
#include <span>
#include <unordered_map>

#include "insn/instruction.h"
#include "machine/resolver/code_image.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

class CodeReader {
 public:
  // `dsos` outlives it.
  explicit CodeReader(const DsoTable& dsos) : dsos_(dsos) {}

  // Fills `out` from the frame's address on; how many bytes there were. 0: no file has them.
  std::size_t read(const Frame& frame, std::span<std::byte> out);
  // Unknown where there is no file.
  Isa isa(DsoId dso);

 private:
  const std::optional<CodeImage>& image(DsoId dso);

  const DsoTable& dsos_;
  std::unordered_map<u32, std::optional<CodeImage>> images_;  // by dso
};

}  // namespace peregrine
