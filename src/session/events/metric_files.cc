#include "session/events/metric_files.h"

#include <utility>

#include "analysis/metric/metric_file.h"
#include "base/result.h"
#include "sys/root.h"

namespace peregrine {

MetricCatalogue load_metrics(std::span<const std::string> files, SessionListener& listener) {
  MetricCatalogue catalogue;
  for (const std::string& path : files) {
    const auto text = Root().read(path);
    if (!text) {
      listener.warning(text.error().message);
      continue;
    }
    auto file = read_metric_file(*text, path);
    if (!file) {
      listener.warning(file.error().message);
      continue;
    }
    for (const Error& problem : file->problems) listener.warning(problem.message);
    catalogue.add(std::move(file->metrics));
  }
  return catalogue;
}

}  // namespace peregrine
