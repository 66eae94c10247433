#include "session/daemon/daemon_answer.h"

#include <fmt/format.h>
#include <signal.h>

#include <cstddef>
#include <vector>

#include "base/text/counted.h"
#include "capture/daemon/daemon_server.h"
#include "output/csv/safe_cells.h"
#include "output/text/format/printable.h"
#include "session/daemon/daemon_row.h"
#include "session/daemon/session_recordings.h"

namespace peregrine {
namespace {

constexpr std::size_t kRowWidth = DaemonServer::kRowWidth;

// "1.2 MB in 3 files": the recordings of a session.
std::string recorded_text(std::string_view folder) {
  const std::vector<SessionRecording> recordings = recordings_in(std::string(folder));
  u64 bytes = 0;
  for (const SessionRecording& recording : recordings) bytes += recording.bytes;
  return fmt::format("{:.1f} MB in {}", static_cast<double>(bytes) / 1e6, counted(recordings.size(), "file"));
}

void list_for_programs(std::span<const std::string> rows, std::string_view separator, Sink& out) {
  for (std::size_t i = 0; i + kRowWidth <= rows.size(); i += kRowWidth) {
    const DaemonRow row = row_at(rows, i);
    if (!row.is_running()) continue;
    const std::string folder(row.folder);
    std::vector<std::string> fields{std::string(row.pid), std::string(row.name)};
    if (i == 0)
      fields.insert(fields.end(), {folder, folder + "/output", folder + "/lock"});
    else
      fields.insert(fields.end(),
                    {std::string(row.run), folder, folder + "/output", folder + "/control", folder + "/ack"});
    for (const std::string& field : fields) out.append(printable(field)).append(separator);
    out.append(row.minutes).append('\n');
  }
}

void list_for_people(std::span<const std::string> rows, std::string_view program, bool files, Sink& out) {
  for (std::size_t i = 0; i + kRowWidth <= rows.size(); i += kRowWidth) {
    const DaemonRow row = row_at(rows, i);
    const std::string folder = printable(row.folder);
    if (i == 0)
      out.format("[{}:daemon] base: {}\n", row.pid, folder);
    else
      out.format("[{}:{}] {} record {}\n", row.pid, printable(row.name), program, printable(row.run));
    if (i != 0 && (files || !row.is_running() || row.restarts != "0"))
      out.format("  state:   {}, restarts: {}\n", printable(row.state), row.restarts);
    if (!files) continue;
    if (i != 0) out.format("  base:    {}\n", folder);
    out.format("  output:  {}/output\n", folder);
    if (i == 0)
      out.format("  lock:    {}/lock\n", folder);
    else
      out.format("  control: {0}/control\n  ack:     {0}/ack\n  data:    {1}\n", folder, recorded_text(row.folder));
    out.format("  up:      {} minutes\n", row.minutes);
  }
}

}  // namespace

void print_daemon_list(std::span<const std::string> rows, const DaemonListStyle& style, std::string_view program,
                       Sink& out) {
  if (!style.separator) return list_for_people(rows, program, style.files, out);
  if (!style.csv_safe) return list_for_programs(rows, *style.separator, out);
  Sink plain;
  list_for_programs(rows, *style.separator, plain);
  out.append(safe_lines(plain.text(), {.separator = *style.separator}));
}

void print_daemon_replies(DaemonRequest request, std::span<const std::string> answer, const std::string& session,
                          Sink& out) {
  for (std::size_t i = 0; i + 2 <= answer.size(); i += 2) {
    if (request == DaemonRequest::Ping)
      out.format("{:<4} {}\n", answer[i + 1], printable(answer[i]));
    else
      out.format("signal {} sent to session '{} [{}]'\n", SIGUSR2, printable(answer[i]), answer[i + 1]);
  }
  if (answer.empty() && !session.empty()) out.format("FAIL {} (not found)\n", printable(session));
}

}  // namespace peregrine
