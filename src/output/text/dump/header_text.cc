#include "output/text/dump/header_text.h"

#include <time.h>

#include <algorithm>
#include <ctime>

#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"

namespace peregrine {
namespace {

void print_features(FeaturePage& page, bool full, std::span<const FeatureText> texts) {
  for (const u32 number : page.header.present) {
    const auto text = std::ranges::find(texts, static_cast<data::FeatureId>(number), &FeatureText::id);
    if (text == texts.end() || text->print == nullptr) continue;
    if (text->detail == FeatureDetail::Full && !full) {
      page.out.format("# {} info available, use -I to display\n", data::feature_name(number));
    } else {
      text->print(page);
    }
  }
}

void print_missing(const data::Header& header, Sink& out) {
  out.append("# missing features: ");
  for (u32 id = 1; id <= static_cast<u32>(data::kLastFeatureOf61); ++id) {
    if (!header.has(static_cast<data::FeatureId>(id))) out.format("{} ", data::feature_name(id));
  }
  out.append('\n');
}

}  // namespace

void print_header(const data::Header& header, const data::Evlist& evlist, bool full, Sink& out,
                  std::span<const FeatureText> texts) {
  FeaturePage page{header, header.features, evlist, out};
  const bool pipe = header.layout == data::Layout::Pipe;
  const auto when = static_cast<std::time_t>(header.captured_on);
  std::tm parts{};
  char date[64] = "";
  if (::localtime_r(&when, &parts) != nullptr) std::strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", &parts);
  out.format("# ========\n# captured on    : {}\n# header version : {}\n", date, header.version - 1);
  out.format("# data offset    : {}\n# data size      : {}\n# feat offset    : {}\n", pipe ? 0 : header.data_offset,
             pipe ? 0 : header.data_size, pipe ? 0 : header.feature_offset);
  // linux-perf prints a pipe's features as they arrive, below the frame.
  if (!pipe) {
    print_features(page, full, texts);
    print_missing(header, out);
  }
  out.append("# ========\n#\n");
  if (pipe) print_features(page, full, texts);
}

}  // namespace peregrine
