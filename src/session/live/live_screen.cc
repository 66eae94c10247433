#include "session/live/live_screen.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "analysis/browse/hist_queries.h"
#include "analysis/browse/queries.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/machine_naming.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "output/text/report/top_page.h"
#include "output/tui/report/browser.h"
#include "output/tui/screen/settings.h"
#include "session/report/code_finder.h"
#include "session/report/event_tables.h"
#include "session/report/report_plan.h"
#include "session/report/report_request.h"
#include "session/report/screen_files.h"

namespace peregrine {
namespace {

class LiveScreen {
 public:
  LiveScreen(LiveView& view, LiveSettings settings)
      : view_(view),
        shown_(std::move(settings)),
        naming_(view.profile().profile().naming(view.request().report.look.parameters)),
        code_(view.profile().machine(), view.request().listing) {
    const Plan& plan = view.plan();
    const ReportRequest& report = view.request().report;
    BrowseOptions browse{.columns = plan.columns,
                         .keys = view.profile().profile().keys(),
                         .tables = plan.tables,
                         .children = plan.children,
                         .graphs = plan.graphs,
                         .by_cpumode = plan.by_cpumode,
                         .graph = plan.graph,
                         .sort_member = report.grouping.sort_member};
    for (const std::vector<u32>& events : plan.tables)
      browse.names.push_back(table_name(plan.names, view.evlist(), events));
    queries_ = std::make_unique<HistQueries>(std::move(browse), naming_);
    // The browser calls these with the profile's mutex held (BrowserHooks::locked): samples arrive on another thread.
    queries_->set_code([this](const HistFrame& frame, const std::vector<u32>& events) {
      code_.set_hits(view_.profile().hits());
      return code_.find(frame, events);
    });
    queries_->set_dsos([this](u32 dso) { return describe_dso(view_.profile().machine().dsos(), DsoId(dso)); });
    queries_->set_header([this] { return top_heading(view_.heading()); });
    settings_.live = true;
    settings_.tree = report.grouping.hierarchy;
    settings_.value = report.chains.graph.value;
    settings_.percent_limit = shown_.least_percent;
    settings_.title = [this](unsigned width) { return top_title(view_.heading(), frozen_ ? "paused" : "", width); };
    settings_.print = [this] { return write_rows(queries_->page({}), "perf.hist"); };
    settings_.export_rows = [this](const BrowseLook& look) { return write_rows(queries_->page(look), "perf.shown"); };
    settings_.print_code = [this](const AnnotatedCode& code) {
      return write_code(code, view_.plan().names[code.events[0]]);
    };
    settings_.live_key = [this](char32_t key, std::string& said) { return obey(key, said); };
    look();
  }

  void run(tui::Screen& screen) {
    tui::BrowserHooks hooks{.calm = [this] { return calm(); },
                            .changed_fd = view_.profile().ended_fd(),
                            .changed = [this] { return changed(); },
                            .locked =
                                [this](const std::function<void()>& act) {
                                  const std::scoped_lock lock(view_.profile().mutex());
                                  act();
                                },
                            .over = [this] { return ended(); }};
    tui::Browser browser(screen, *queries_, settings_, std::move(hooks));
    browser.show_first(shown_.annotated);
    browser.run();
  }

 private:
  bool ended() const {
    pollfd waited{view_.profile().ended_fd(), POLLIN, 0};
    return ::poll(&waited, 1, 0) > 0;
  }
  void look() {
    view_.profile().look();
    const std::scoped_lock lock(view_.profile().mutex());
    naming_.forget();  // the look may have released symbols
    naming_.set_recorded(view_.profile().recorded_names());
    queries_->show(view_.profile().hists());
    next_ = std::chrono::steady_clock::now() + std::chrono::seconds(looks_++ == 0 ? 1 : shown_.delay);
  }
  int calm() const {
    if (frozen_) return -1;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(next_ - std::chrono::steady_clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left + 1, 0, 1 << 30));
  }
  bool changed() {
    if (frozen_ || std::chrono::steady_clock::now() < next_) return false;
    look();
    return true;
  }
  bool obey(char32_t key, std::string& said) {
    switch (key) {
      case 'f':
        frozen_ = !frozen_;
        view_.profile().enable(!frozen_);
        said = frozen_ ? "paused; press f to resume" : "resumed";
        return true;
      case 'z':
        shown_.zero = !shown_.zero;
        view_.profile().set_zero(shown_.zero);
        said = shown_.zero ? "counts reset at each refresh" : "older samples fade";
        return true;
      case 'K':
        shown_.hide_kernel = !shown_.hide_kernel;
        said = shown_.hide_kernel ? "kernel functions hidden" : "kernel functions shown";
        break;
      case 'U':
        shown_.hide_user = !shown_.hide_user;
        said = shown_.hide_user ? "user functions hidden" : "user functions shown";
        break;
      default:
        return false;
    }
    view_.profile().hide_locked(shown_.hide_kernel, shown_.hide_user);
    return true;
  }

  LiveView& view_;
  LiveSettings shown_;
  MachineNaming naming_;
  CodeFinder code_;
  std::unique_ptr<HistQueries> queries_;
  tui::ReportSettings settings_;
  std::chrono::steady_clock::time_point next_;
  unsigned looks_ = 0;
  bool frozen_ = false;
};

}  // namespace

void show_live_screen(LiveView& view, const LiveSettings& settings, tui::Screen& screen) {
  LiveScreen(view, settings).run(screen);
}

}  // namespace peregrine
