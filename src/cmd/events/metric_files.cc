#include "cmd/events/metric_files.h"

#include "analysis/metric/metric_file.h"
#include "cmd/events/event_files.h"
#include "sys/root.h"

namespace peregrine::cmd {

MetricCatalogue load_metrics(const Config& config, Messages& messages) {
  MetricCatalogue catalogue;
  for (const std::string& path : event_files(config)) {
    const auto text = Root().read(path);
    if (!text) {
      messages.warning(text.error().message);
      continue;
    }
    auto file = read_metric_file(*text, path);
    if (!file) {
      messages.warning(file.error().message);
      continue;
    }
    for (const Error& problem : file->problems) messages.warning(problem.message);
    catalogue.add(std::move(file->metrics));
  }
  return catalogue;
}

}  // namespace peregrine::cmd
