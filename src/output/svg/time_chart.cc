#include "output/svg/time_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.h"
#include "output/svg/chart_bars.h"
#include "output/svg/flame_graph.h"
#include "output/svg/latency_heat_map.h"
#include "output/svg/time_chart_script.h"

namespace peregrine {
namespace {

constexpr BarLook kRunning{"run", "running"}, kMarked{"mark", "marked"}, kWaiting{"wait", "waiting for a CPU"},
    kBlocked{"block", "blocked"}, kSleeping{"sleep", "sleeping"}, kIdle{"idle", "idle"}, kIdle1{"idle", "idle, C1"},
    kIdle2{"idle2", "idle, C2"}, kIdleDeep{"idle3", "idle, deeper"}, kFrequency{"freq", "frequency"},
    kDisk{"disk", "files"}, kNetwork{"net", "network"}, kSync{"sync", "sync"}, kPoll{"poll", "poll"},
    kError{"error", "errors"};
// Indexed by TaskState.
constexpr const BarLook* kTaskLooks[] = {&kRunning, &kWaiting, &kBlocked, &kSleeping};

constexpr unsigned kChartTop = 62, kLegendRow = 18, kAxis = 18, kLabel = 15, kTaskBar = 14, kFrequencyBar = 8,
                   kIoBar = 11, kChartGap = 9, kChartBottom = 24;
constexpr double kChartCharacter = 6.6;  // approximate character width at 11 px

std::string size_words(u64 bytes) {
  constexpr std::string_view kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  auto size = static_cast<double>(bytes);
  for (; size >= 1024 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

const BarLook* idle_look(u32 state) {
  if (state == kNobody || state == 0) return &kIdle;
  if (state == 1) return &kIdle1;
  return state == 2 ? &kIdle2 : &kIdleDeep;
}

const BarLook* io_look(const IoSpan& span) {
  if (span.error != 0) return &kError;
  switch (span.kind) {
    case IoKind::Read:
    case IoKind::Write:
      return &kDisk;
    case IoKind::Receive:
    case IoKind::Send:
      return &kNetwork;
    case IoKind::Sync:
      return &kSync;
    case IoKind::Poll:
      break;
  }
  return &kPoll;
}

std::string_view verb_of(IoKind kind) {
  constexpr std::string_view kVerbs[] = {"read", "write", "receive", "send", "sync", "poll"};
  return kVerbs[static_cast<std::size_t>(kind)];
}

class ChartPrinter {
 public:
  ChartPrinter(Sink& out, const TimeChart& chart, std::span<const u32> rows, const TimeChartText& text)
      : out_(out), chart_(chart), rows_(rows), text_(text), scale_(chart) {}
  void print();

 private:
  unsigned cpu_height() const { return kLabel + kTaskBar + (has_frequencies_ ? kFrequencyBar + 1 : 0) + kChartGap; }
  unsigned task_height() const { return kLabel + (chart_.has_io ? 2 * kIoBar + 1 : kTaskBar) + kChartGap; }
  double cpu_top(std::size_t row) const { return static_cast<double>(row * cpu_height()); }
  double task_top(std::size_t row) const {
    return cpu_top(chart_.cpus.size()) + static_cast<double>(row * task_height());
  }
  double height() const { return text_.tasks ? task_top(rows_.size()) : cpu_top(chart_.cpus.size()); }
  std::string at(u64 time) const { return short_duration(scale_.since_start(time)); }
  std::string who(u32 task) const;
  std::string with_chain(u32 chain) const;
  std::string task_title(const ChartTask& task, const TaskSpan& span) const;
  std::string task_sums(const ChartTask& task) const;
  std::string io_title(const IoSpan& span) const;
  const BarLook* run_look(const ChartTask& task, const ChartSpan& span) const;
  double io_height(const IoSpan& span) const;

  void measure();
  unsigned legend(bool draws);
  void print_head();
  void print_axis();
  void print_label(double top, const std::string& name, const std::string& sums);
  void print_labels();
  void print_cpu(const ChartCpu& cpu, double top);
  void print_task(const ChartTask& task, double top);
  void print_io(const ChartTask& task, double top);
  void print_wakes();

  Sink& out_;
  const TimeChart& chart_;
  std::span<const u32> rows_;
  const TimeChartText& text_;
  ChartScale scale_;
  bool has_frequencies_ = false;
  u64 most_bytes_ = 1, most_kilohertz_ = 1;
  unsigned plot_top_ = 0;
};

std::string ChartPrinter::who(u32 task) const {
  if (task == kInterrupt) return "an interrupt";
  if (task == kNobody) return {};
  return fmt::format("{} {}", chart_.tasks[task].comm, chart_.tasks[task].tid);
}

std::string ChartPrinter::with_chain(u32 chain) const {
  return chain == 0 ? std::string() : fmt::format(", in {}", chart_.chains[chain]);
}

std::string ChartPrinter::task_title(const ChartTask& task, const TaskSpan& span) const {
  const std::string name = fmt::format("{} {}", task.comm, task.tid), took = short_duration(span.length());
  switch (span.state) {
    case TaskState::Running:
      return fmt::format("{} ran {} on CPU {}, from {}", name, took, span.cpu, at(span.from));
    case TaskState::Waiting: {
      const std::string cause = span.waker == kNobody ? "preempted" : "woken by " + who(span.waker);
      return fmt::format("{} waited {} for a CPU, from {}: {}{}", name, took, at(span.from), cause,
                         span.waker == kNobody ? with_chain(span.chain) : std::string());
    }
    case TaskState::Blocked:
      return fmt::format("{} was blocked {} by a device or lock, from {}{}", name, took, at(span.from),
                         with_chain(span.chain));
    case TaskState::Sleeping:
      break;
  }
  return fmt::format("{} slept {}, from {}{}", name, took, at(span.from), with_chain(span.chain));
}

std::string ChartPrinter::task_sums(const ChartTask& task) const {
  if (chart_.has_io) return fmt::format("{} in, {} out", size_words(task.taken), size_words(task.given));
  std::string sums;
  for (const TaskState state : {TaskState::Running, TaskState::Waiting, TaskState::Blocked}) {
    constexpr std::string_view kWords[] = {"ran", "waited", "blocked"};
    const u64 time = task.times[static_cast<std::size_t>(state)];
    if (time == 0 && state != TaskState::Running) continue;
    sums +=
        fmt::format("{}{} {}", sums.empty() ? "" : ", ", kWords[static_cast<std::size_t>(state)], short_duration(time));
  }
  return sums;
}

std::string ChartPrinter::io_title(const IoSpan& span) const {
  std::string title(verb_of(span.kind));
  if (span.descriptor >= 0) title += fmt::format(" of fd {}", span.descriptor);
  if (span.error != 0) {
    const char* const name = ::strerrorname_np(static_cast<int>(std::min<i64>(span.error, 4096)));
    title += name == nullptr ? fmt::format(" failed with {}", span.error) : fmt::format(" failed with {}", name);
  } else if (span.kind != IoKind::Poll && span.kind != IoKind::Sync) {
    title += ": " + size_words(span.bytes);
  }
  if (span.calls > 1) title += fmt::format(" in {} calls", span.calls);
  return fmt::format("{}, {} from {}", title, short_duration(span.length()), at(span.from));
}

const BarLook* ChartPrinter::run_look(const ChartTask& task, const ChartSpan& span) const {
  const auto has_it = [&](const std::string& name) { return name.contains(text_.marked); };
  const bool named = !text_.marked.empty() && (has_it(task.comm) || std::ranges::any_of(task.former, has_it));
  return named || span.length() > text_.marked_length ? &kMarked : &kRunning;
}

// The height is logarithmic: each doubling of the size adds the same amount.
double ChartPrinter::io_height(const IoSpan& span) const {
  if (span.kind == IoKind::Sync) return kIoBar;
  const double share =
      std::log2(1.0 + static_cast<double>(span.bytes)) / std::log2(1.0 + static_cast<double>(most_bytes_));
  return kIoBar * (0.3 + 0.7 * share);
}

void ChartPrinter::measure() {
  for (const ChartCpu& cpu : chart_.cpus)
    for (const FrequencySpan& span : cpu.frequencies) {
      most_kilohertz_ = std::max(most_kilohertz_, span.kilohertz);
      has_frequencies_ = text_.power;
    }
  for (const u32 row : rows_)
    for (const IoSpan& span : chart_.tasks[row].io) most_bytes_ = std::max(most_bytes_, span.bytes);
  plot_top_ = kChartTop + legend(false) * kLegendRow + kAxis;
}

// Lays out the legend, wrapped to the page width, with entries only for what the chart shows. Writes it if `draws`.
// Returns the number of lines.
unsigned ChartPrinter::legend(bool draws) {
  std::vector<const BarLook*> looks;
  const bool has_tasks = text_.tasks && !rows_.empty();
  const bool has_stays = std::ranges::any_of(chart_.cpus, [](const ChartCpu& cpu) { return !cpu.stays.empty(); });
  if (has_stays || (has_tasks && !chart_.has_io)) looks.push_back(&kRunning);
  if (!text_.marked.empty() || text_.marked_length != ~u64{0}) looks.push_back(&kMarked);
  if (has_tasks && !chart_.has_io) looks.insert(looks.end(), {&kWaiting, &kBlocked, &kSleeping});
  if (has_tasks && chart_.has_io) looks.insert(looks.end(), {&kDisk, &kNetwork, &kSync, &kPoll, &kError});
  if (!chart_.cpus.empty() && text_.power) looks.push_back(&kIdle);
  if (chart_.has_idle_states && text_.power) looks.insert(looks.end(), {&kIdle2, &kIdleDeep});
  if (has_frequencies_) looks.push_back(&kFrequency);
  double x = 10;
  unsigned line = 0;
  for (const BarLook* look : looks) {
    const double width = 30 + static_cast<double>(look->word.size()) * kChartCharacter;
    if (x > 10 && x + width > text_.width) {
      x = 10;
      ++line;
    }
    const unsigned y = kChartTop + line * kLegendRow;
    if (draws)
      out_.format(
          "<rect class=\"{}\" x=\"{:.0f}\" y=\"{}\" width=\"11\" height=\"11\"/><text x=\"{:.0f}\" "
          "y=\"{}\">{}</text>\n",
          look->style, x, y - 10, x + 15, y, look->word);
    x += width;
  }
  return line + 1;
}

void ChartPrinter::print_head() {
  const double total = plot_top_ + height() + kChartBottom;
  out_.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  out_.format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{}\" height=\"{:g}\" id=\"page\" "
      "data-length=\"{}\" data-top=\"{}\" data-bottom=\"{:g}\">\n",
      text_.width, total, scale_.length(), plot_top_, plot_top_ + height());
  out_.format("<title>{}</title>\n<style>", xml_text(text_.title)).append(kTimeChartStyle).append("</style>\n");
  out_.format("<rect class=\"back\" width=\"100%\" height=\"{:g}\"/>\n", total);
  out_.format("<text id=\"title\" x=\"50%\" y=\"20\">{}</text>\n", xml_text(text_.title));
  out_.format("<text id=\"subtitle\" x=\"50%\" y=\"38\">{}</text>\n", xml_text(text_.subtitle));
  out_.append("<text class=\"button\" id=\"reset\" x=\"10\" y=\"20\">Reset zoom</text>\n");
  out_.append("<text class=\"button\" id=\"search\" x=\"100%\" dx=\"-10\" y=\"20\">Search</text>\n");
  out_.append("<text class=\"right\" id=\"matched\" x=\"100%\" dx=\"-10\" y=\"38\"> </text>\n<g id=\"legend\">\n");
  legend(true);
  out_.append("</g>\n");
}

// Puts about ten ticks at multiples of 1, 2 or 5 times a power of ten.
void ChartPrinter::print_axis() {
  const auto length = static_cast<double>(scale_.length());
  double step = std::pow(10, std::floor(std::log10(length / 8)));
  for (const double factor : {2.0, 2.5, 2.0})
    if (length / step > 12) step *= factor;
  step = std::max(step, 1.0);
  out_.append("<g id=\"axis\">\n");
  for (double time = 0; time < length; time += step) {
    const double x = time * 100 / length;
    out_.format("<line x1=\"{:.3f}%\" x2=\"{:.3f}%\" y1=\"{}\" y2=\"{:g}\"/>", x, x, plot_top_ - 4,
                plot_top_ + height());
    const std::string_view side = x > 93 ? " class=\"right\" dx=\"-3\"" : " dx=\"3\"";
    for (const double y : {plot_top_ - 7.0, plot_top_ + height() + 14})
      out_.format("<text x=\"{:.3f}%\"{} y=\"{:g}\">{}</text>", x, side, y, short_duration(static_cast<u64>(time)));
    out_.append("\n");
  }
  out_.append("</g>\n");
}

void ChartPrinter::print_label(double top, const std::string& name, const std::string& sums) {
  const double y = plot_top_ + top + kLabel - 4;
  out_.format(
      "<g><text class=\"name\" x=\"6\" y=\"{:g}\">{}</text><text class=\"right\" x=\"100%\" dx=\"-6\" "
      "y=\"{:g}\">{}</text></g>\n",
      y, xml_text(name), y, xml_text(sums));
}

void ChartPrinter::print_labels() {
  out_.append("<g id=\"labels\">\n");
  for (std::size_t i = 0; i < chart_.cpus.size(); ++i) {
    const ChartCpu& cpu = chart_.cpus[i];
    const double share = 100.0 * static_cast<double>(cpu.busy) / static_cast<double>(scale_.length());
    print_label(cpu_top(i), fmt::format("CPU {}{}{}", cpu.number, cpu.place.empty() ? "" : ", ", cpu.place),
                cpu.stays.empty() ? std::string()
                                  : fmt::format("busy {}, {:.1f}% of the recording", short_duration(cpu.busy), share));
  }
  for (std::size_t i = 0; text_.tasks && i < rows_.size(); ++i)
    print_label(task_top(i), who(rows_[i]), "total: " + task_sums(chart_.tasks[rows_[i]]));
  out_.append("</g>\n");
}

void ChartPrinter::print_cpu(const ChartCpu& cpu, double top) {
  out_.append("<g class=\"cpu\">\n");
  const double y = top + kLabel;
  if (text_.power) {
    ChartBars idle(out_, scale_);
    for (const CpuSpan& span : cpu.idle)
      idle.add({span, idle_look(span.which), y + 2, kTaskBar - 4}, [&] {
        const std::string state = span.which == kNobody ? "" : fmt::format(" in state C{}", span.which);
        return fmt::format("CPU {} idle{} for {}, from {}", cpu.number, state, short_duration(span.length()),
                           at(span.from));
      });
  }
  {
    ChartBars stays(out_, scale_);
    for (const CpuSpan& span : cpu.stays)
      stays.add({span, run_look(chart_.tasks[span.which], span), y, kTaskBar}, [&] {
        return fmt::format("{} ran {}, from {}", who(span.which), short_duration(span.length()), at(span.from));
      });
  }
  if (has_frequencies_) {
    ChartBars steps(out_, scale_);
    for (const FrequencySpan& span : cpu.frequencies) {
      const double tall = kFrequencyBar * static_cast<double>(span.kilohertz) / static_cast<double>(most_kilohertz_);
      steps.add({span, &kFrequency, y + kTaskBar + 1 + kFrequencyBar - tall, tall}, [&] {
        return fmt::format("CPU {} at {:.2f} GHz for {}, from {}", cpu.number,
                           static_cast<double>(span.kilohertz) / 1e6, short_duration(span.length()), at(span.from));
      });
    }
  }
  out_.append("</g>\n");
}

void ChartPrinter::print_task(const ChartTask& task, double top) {
  out_.append("<g>\n");
  {
    ChartBars bars(out_, scale_);
    const double y = top + kLabel;
    for (const TaskSpan& span : task.spans) {
      const bool sleeps = span.state == TaskState::Sleeping;
      const BarLook* look = kTaskLooks[static_cast<std::size_t>(span.state)];
      if (span.state == TaskState::Running) look = run_look(task, span);
      bars.add({span, look, sleeps ? y + kTaskBar / 2.0 - 1 : y, sleeps ? 2 : static_cast<double>(kTaskBar)},
               [&] { return task_title(task, span); });
    }
  }
  out_.append("</g>\n");
}

// Draws input above the middle line, output below it, and polls behind both.
void ChartPrinter::print_io(const ChartTask& task, double top) {
  const double middle = top + kLabel + kIoBar;
  const auto lane = [&](auto accepts, auto place) {
    ChartBars bars(out_, scale_, text_.least_io);
    for (const IoSpan& span : task.io) {
      if (!accepts(span.kind)) continue;
      const auto [y, height] = place(span);
      bars.add({span, io_look(span), y, height}, [&] { return io_title(span); });
    }
  };
  const auto takes = [](IoKind kind) { return kind == IoKind::Read || kind == IoKind::Receive; };
  out_.append("<g>\n");
  out_.format("<rect class=\"sleep\" x=\"0\" y=\"{:g}\" width=\"{:.0f}\" height=\"1\"/>\n", middle, ChartScale::kUnits);
  lane([](IoKind kind) { return kind == IoKind::Poll; },
       [&](const IoSpan&) { return std::pair(middle - kIoBar, 2.0 * kIoBar + 1); });
  lane(takes, [&](const IoSpan& span) { return std::pair(middle - io_height(span), io_height(span)); });
  lane([&](IoKind kind) { return kind != IoKind::Poll && !takes(kind); },
       [&](const IoSpan& span) { return std::pair(middle + 1, io_height(span)); });
  out_.append("</g>\n");
}

// Draws a line from the waker's row to the woken task's row. Wakes between the same tasks in one cell are drawn once,
// which bounds the size of the page.
void ChartPrinter::print_wakes() {
  std::unordered_map<u32, double> tops;
  for (std::size_t i = 0; i < rows_.size(); ++i) tops.emplace(rows_[i], task_top(i) + kLabel);
  std::set<std::tuple<u64, u32, u32>> drawn;
  const u64 cell = std::max<u64>(scale_.length() / 2000, 1);
  out_.append("<g id=\"wakes\">\n");
  for (const ChartWake& wake : chart_.wakes) {
    const auto from = tops.find(wake.waker), to = tops.find(wake.woken);
    if (from == tops.end() || to == tops.end()) continue;
    if (!drawn.emplace(scale_.since_start(wake.time) / cell, wake.waker, wake.woken).second) continue;
    const bool down = from->second < to->second;
    const double y1 = from->second + (down ? kTaskBar : 0), y2 = to->second + (down ? 0 : kTaskBar),
                 x = scale_.x(wake.time);
    out_.format(
        "<g><title>{} wakes {} at {}</title><path d=\"M{:.1f} {:g}V{:g}\"/><path class=\"dot\" d=\"M{:.1f} "
        "{:g}h0.01\"/></g>\n",
        xml_text(who(wake.waker)), xml_text(who(wake.woken)), at(wake.time), x, y1, y2, x, y2);
  }
  out_.append("</g>\n");
}

void ChartPrinter::print() {
  measure();
  print_head();
  print_axis();
  out_.format(
      "<svg id=\"plot\" x=\"0\" y=\"{}\" width=\"100%\" height=\"{:g}\" viewBox=\"0 0 {:.0f} {:g}\" "
      "preserveAspectRatio=\"none\">\n<g id=\"rows\">\n",
      plot_top_, std::max(height(), 1.0), ChartScale::kUnits, std::max(height(), 1.0));
  for (std::size_t i = 0; i < chart_.cpus.size(); ++i) print_cpu(chart_.cpus[i], cpu_top(i));
  for (std::size_t i = 0; text_.tasks && i < rows_.size(); ++i)
    chart_.has_io ? print_io(chart_.tasks[rows_[i]], task_top(i)) : print_task(chart_.tasks[rows_[i]], task_top(i));
  out_.append("</g>\n");
  if (text_.tasks && !chart_.has_io) print_wakes();
  out_.append("</svg>\n");
  print_labels();
  out_.append("<g id=\"names\"></g>\n<g id=\"cursor\"><line/><text/></g>\n");
  out_.append("<script><![CDATA[").append(kTimeChartScript).append("]]></script>\n</svg>\n");
}

}  // namespace

void print_time_chart(Sink& out, const TimeChart& chart, std::span<const u32> rows, const TimeChartText& text) {
  ChartPrinter(out, chart, rows, text).print();
}

}  // namespace peregrine
