#include "base/file/replace_file.h"

#include <expected>
#include <utility>

#include "base/fd.h"
#include "base/file/output_place.h"

namespace peregrine {

Result<> replace_file(const std::string& path, std::string_view bytes, unsigned mode) {
  const auto place = OutputPlace::at(path);
  if (!place) return std::unexpected(place.error());
  auto draft = OutputDraft::create(*place, mode);
  if (!draft) return std::unexpected(std::move(draft.error()));
  PEREGRINE_TRY(write_all(draft->fd(), bytes.data(), bytes.size()));
  return draft->take(true);
}

}  // namespace peregrine
