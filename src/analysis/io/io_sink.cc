#include "analysis/io/io_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <limits>
#include <set>
#include <string_view>
#include <variant>

#include "abi/blktrace_record.h"
#include "abi/bpf_output/opened_file.h"
#include "abi/side_band.h"
#include "analysis/trace/raw_call.h"
#include "event/config/bpf_output_event.h"
#include "sys/hardware/block_device.h"

namespace peregrine {

namespace {

enum IoTracepoint : u8 { Enter, Leave, GetPages, AddPages, FaultPage, DirtyFolio, DirtyPage, WriteInode };
// Indices into the field lists below.
enum CacheField : u8 { Device, Inode, First, Last, Order = Last };
enum WritebackField : u8 { DiskName, WrittenInode };

std::vector<WantedTracepoint> wanted_file_io() {
  return {{.system = "raw_syscalls", .name = "sys_enter", .fields = {"id"}},
          {.system = "raw_syscalls", .name = "sys_exit", .fields = {"id"}},
          {.system = "filemap",
           .name = "mm_filemap_get_pages",
           .fields = {"s_dev", "i_ino", "index", "last_index"},
           .needed = 4},
          {.system = "filemap", .name = "mm_filemap_add_to_page_cache", .fields = {"s_dev", "i_ino", "index", "order"}},
          {.system = "filemap", .name = "mm_filemap_fault", .fields = {"s_dev", "i_ino"}},
          {.system = "writeback", .name = "writeback_dirty_folio", .fields = {"name", "ino"}},
          {.system = "writeback", .name = "writeback_dirty_page", .fields = {"name", "ino"}},
          {.system = "writeback", .name = "writeback_single_inode_start", .fields = {"name", "ino"}}};
}

// A page's number is below this; a folio is at most this large. Larger values are damaged.
constexpr u64 kMostPages = u64{1} << 52;
constexpr u64 kMostOrder = 30;
// The kernel transfers no more in one call (MAX_RW_COUNT); programs that copy whole files ask for 2^63.
constexpr u64 kMostBytes = 0x7ffff000;

IoInode inode_of(const TracepointView& view) {
  return {.device = static_cast<u32>(view.number(Device)), .number = view.number(Inode)};
}

}  // namespace

IoSink::IoSink(const data::Reader& reader, abi::SyscallSet set, Request request)
    : TracepointSink(reader, wanted_file_io()),
      reader_(reader),
      request_(std::move(request)),
      wide_(set),
      narrow_(abi::SyscallSet::I386),
      calls_(wide_),
      open_files_(wide_, narrow_, false),
      assembler_(wide_, {.chosen = {}, .whole = true}, *this),
      requests_({.took =
                     [this](const BlockRequest& one, BlockPhase phase, u64 duration) {
                       if (phase == BlockPhase::Q2C) rows_[one.row].sums.request_time += duration;
                     },
                 .label = [this](BlockRequest& one, const BlockEvent& event) { label_request(one, event); }}),
      blocks_(reader, request_.disk_of, [this](const BlockEvent& event) { take_block(event); }),
      wanted_(request_.processes.begin(), request_.processes.end()) {}

void IoSink::begin_batch() {
  TracepointSink::begin_batch();
  blocks_.begin_batch();
  if (const u32 size = tracepoints().page_size(); size != 0) page_size_ = size;
  for (std::size_t i = name_events_.size(); i < reader_.evlist().size(); ++i)
    name_events_.push_back(reader_.evlist()[i].name == kFileNamesEvent);
}

bool IoSink::needs_samples_of(u32 event) const {
  return TracepointSink::needs_samples_of(event) || blocks_.needs_samples_of(event) ||
         (event < name_events_.size() && name_events_[event]);
}

std::bitset<128> IoSink::records() const {
  return kinds_of_records({abi::RecordType::Comm, abi::RecordType::Fork, abi::RecordType::Mmap2});
}

void IoSink::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) {
  if (sample.event < name_events_.size() && name_events_[sample.event]) return take_name(sample.sample);
  const auto pid = static_cast<Pid>(sample.sample.pid);
  if (!comms_.contains(pid)) comms_.emplace(pid, resolver.comm(sample.context));
  if (blocks_.needs_samples_of(sample.event)) return blocks_.sample(sample, resolver, worker);
  TracepointSink::sample(sample, resolver, worker);
}

void IoSink::side_band(const ReplaySideBand& record, Resolver&, unsigned) {
  if (record.side_band == nullptr) return;
  const abi::SideBand& side_band = *record.side_band;
  if (const auto* comm = std::get_if<abi::CommRecord>(&side_band.body)) {
    if (comm->pid != comm->tid) return;
    const auto pid = static_cast<Pid>(comm->pid);
    if (comm->exec && held_.erase(pid) != 0) wanted_.insert(pid);
    comms_[pid] = comm->comm;
    process_now_.erase(pid);
  } else if (const auto* fork = std::get_if<abi::ForkRecord>(&side_band.body)) {
    const auto parent = static_cast<Pid>(fork->parent_pid), child = static_cast<Pid>(fork->pid);
    if (parent == child) return;
    if (parent == request_.recorder) held_.insert(child);
    if (wanted_.contains(parent)) wanted_.insert(child);
    open_files_.inherit(parent, child);
    if (const auto named = comms_.find(parent); named != comms_.end()) comms_.try_emplace(child, named->second);
    process_now_.erase(child);
  } else if (const auto* map = std::get_if<abi::MmapRecord>(&side_band.body)) {
    if (map->version2 && !map->has_build_id && map->inode != 0 && map->filename.starts_with('/'))
      files_.learn({map->major << 20 | map->minor, map->inode}, files_.with_path(map->filename));
  }
}

bool IoSink::is_wanted(Pid pid) const {
  return (request_.processes.empty() && request_.recorder < 0) || wanted_.contains(pid);
}

u32 IoSink::process_of(Pid pid) {
  const auto [place, added] = process_now_.try_emplace(pid, static_cast<u32>(processes_.size()));
  if (added) processes_.push_back({.pid = pid, .comm = comms_[pid], .wanted = is_wanted(pid)});
  return place->second;
}

u32 IoSink::row_of(Pid pid, u32 file, IoOperation operation) {
  const u32 process = process_of(pid);
  const auto [place, added] = row_places_.try_emplace({process, file, operation}, static_cast<u32>(rows_.size()));
  if (added) rows_.push_back({.process = process, .file = file, .operation = operation, .sums = {}});
  return place->second;
}

void IoSink::take(const TracepointView& view, const ReplaySample& replayed, Resolver&) {
  const abi::Sample& sample = replayed.sample;
  switch (view.which) {
    case Enter:
      return enter(sample);
    case Leave:
      return leave(sample);
    case GetPages:
      return take_lookup(view, sample);
    case AddPages:
      return take_added(view, sample);
    case FaultPage:
      return take_fault(view, sample);
    case WriteInode:
      return take_writeback(view, sample);
    default:
      return take_dirtied(view, sample);
  }
}

void IoSink::take_name(const abi::Sample& sample) {
  const auto file = abi::decode_opened_file(sample.raw, reader_.evlist().order());
  if (!file || file->path.empty()) return;
  ++names_;
  open_files_.know(static_cast<Pid>(sample.pid), file->descriptor, file->path);
  Thread& thread = threads_[sample.tid];
  thread.name = file->path;
  thread.descriptor = file->descriptor;
  if (file->inode != 0) files_.learn({file->device, file->inode}, files_.with_path(file->path));
}

u32 IoSink::called_file(const TracedCall& call, const FileCall& kind, u8 argument) {
  if (argument == kNoArgument) return files_.with_path(fmt::format("[{}]", kind.name));
  const auto descriptor = static_cast<i32>(call.arguments[argument]);
  const std::string_view path = open_files_.path(call.pid, descriptor);
  return files_.with_path(path.empty() ? fmt::format("descriptor {}", descriptor) : std::string(path));
}

void IoSink::enter(const abi::Sample& sample) {
  const auto raw = decode_raw_enter(sample.raw, reader_.evlist().order());
  if (!raw) return;
  Thread& thread = threads_[sample.tid];
  const FileCall* const kind = calls_.of(raw->number);
  thread.call = kind;
  thread.has_file = thread.has_recent = false;
  thread.looked_up = 0;
  thread.added.clear();
  if (kind != nullptr && kind->descriptor != kNoArgument) {
    const auto descriptor = static_cast<i32>(raw->arguments[kind->descriptor]);
    const std::string_view path = open_files_.path(static_cast<Pid>(sample.pid), descriptor);
    thread.has_file = !path.empty();
    if (thread.has_file) thread.file = files_.with_path(path);
  }
  assembler_.enter(static_cast<i32>(sample.pid), static_cast<i32>(sample.tid), sample.time, raw->number, raw->arguments,
                   static_cast<i32>(sample.cpu));
}

void IoSink::leave(const abi::Sample& sample) {
  const auto raw = decode_raw_exit(sample.raw, reader_.evlist().order());
  if (!raw) return;
  assembler_.leave(static_cast<i32>(sample.pid), static_cast<i32>(sample.tid), sample.time, raw->number, raw->result,
                   static_cast<i32>(sample.cpu));
}

// A page was in the cache unless the call itself had to add it. A read at the end of a file looks up what it asked for,
// but gets less.
void IoSink::count_lookups(const Thread& thread, u64 requested, u64 returned, IoSums& sums) const {
  u64 looked_up = thread.looked_up, missing = 0;
  for (const Added& added : thread.added)
    if (looked_up != 0 && added.inode == thread.inode && added.first < thread.next && added.last >= thread.first)
      missing += std::min(added.last + 1, thread.next) - std::max(added.first, thread.first);
  if (returned < requested) looked_up = std::min(looked_up, (returned + page_size_ - 1) / page_size_);
  missing = std::min(missing, looked_up);
  sums.misses += missing;
  sums.hits += looked_up - missing;
}

bool IoSink::call(const TracedCall& call) {
  Thread& thread = threads_[static_cast<u32>(call.tid)];
  const FileCall* const kind = calls_.of(call.number);
  if (kind == nullptr || call.continued) {
    open_files_.note(call);
    thread.call = nullptr;
    return true;
  }
  const bool opens = kind->operation == IoOperation::Open;
  if (opens) {
    open_files_.note(call);
    if (call.result >= 0 && thread.descriptor == call.result) open_files_.know(call.pid, call.result, thread.name);
    thread.descriptor = -1;
  }
  u32 file = thread.has_file ? thread.file : called_file(call, *kind, kind->descriptor);
  if (opens) {
    const std::string_view path = open_files_.path(call.pid, call.result);
    file = files_.with_path(call.failed() ? "[not opened]" : path.empty() ? "[unknown name]" : path);
  }
  const u64 returned = call.result > 0 && !opens ? static_cast<u64>(call.result) : 0;
  const u64 requested = kind->bytes == kNoArgument ? 0 : std::min(call.arguments[kind->bytes], kMostBytes);
  IoSums& sums = sums_of(call.pid, file, kind->operation);
  ++sums.calls;
  sums.errors += call.failed() ? 1 : 0;
  sums.time += call.duration;
  if (kind->bytes != kNoArgument || kind->vectors) {
    sums.returned += returned;
    sums.requested += kind->vectors ? returned : requested;
    vectors_ += kind->vectors ? 1 : 0;
  }
  if (kind->operation == IoOperation::Read) count_lookups(thread, requested, returned, sums);
  if (kind->target != kNoArgument) {
    IoSums& copied = sums_of(call.pid, called_file(call, *kind, kind->target), IoOperation::Write);
    ++copied.calls;
    copied.requested += requested;
    copied.returned += returned;
  }
  thread.call = nullptr;
  thread.has_recent = thread.has_file = false;
  return true;
}

// In a call, the file of its descriptor: that is how an inode gets a path. Otherwise the inode's.
u32 IoSink::file_of(Thread& thread, const IoInode& inode) {
  files_.see(request_.disk_of(inode.device), inode);
  thread.recent = files_.with_inode(inode);
  thread.has_recent = true;
  return thread.recent;
}

void IoSink::take_lookup(const TracepointView& view, const abi::Sample& sample) {
  Thread& thread = threads_[sample.tid];
  const IoInode inode = inode_of(view);
  if (thread.call == nullptr || thread.call->operation != IoOperation::Read) return;
  // Only the file that is read is looked up in this way.
  if (thread.has_file) files_.learn(inode, thread.file);
  const u32 file = file_of(thread, inode);
  if (!thread.has_file) {
    thread.file = file;
    thread.has_file = true;
  }
  if (thread.looked_up != 0 && thread.inode != inode) return;
  const u64 first = view.number(First), last = view.number(Last);
  if (last < first || last >= kMostPages) return;
  if (thread.looked_up == 0) {
    thread.inode = inode;
    thread.first = thread.next = first;
  }
  // A call looks up the rest of its range again after each folio that it gets.
  if (last < thread.next) return;
  thread.looked_up += last + 1 - std::max(first, thread.next);
  thread.next = last + 1;
}

void IoSink::take_added(const TracepointView& view, const abi::Sample& sample) {
  Thread& thread = threads_[sample.tid];
  const u64 first = view.number(First), order = view.number(Order);
  if (order > kMostOrder || first >= kMostPages) return;
  const u64 pages = u64{1} << order;
  const IoInode inode = inode_of(view);
  // Its own pages are all that a write adds, except for those of the file system, which are those of a device.
  if (thread.call != nullptr && thread.call->operation == IoOperation::Write && thread.has_file &&
      inode.device >> 20 != 0)
    files_.learn(inode, thread.file);
  const u32 file = file_of(thread, inode);
  if (thread.call != nullptr && thread.call->operation == IoOperation::Read)
    thread.added.push_back({inode, first, first + pages - 1});
  sums_of(static_cast<Pid>(sample.pid), file, thread.call != nullptr ? thread.call->operation : IoOperation::Fault)
      .added += pages;
}

void IoSink::take_fault(const TracepointView& view, const abi::Sample& sample) {
  ++sums_of(static_cast<Pid>(sample.pid), file_of(threads_[sample.tid], inode_of(view)), IoOperation::Fault).calls;
}

const IoInode* IoSink::written_inode(const TracepointView& view) const {
  const auto disk = parse_block_device_number(view.text(DiskName));
  return disk ? files_.on_disk(*disk, view.number(WrittenInode)) : nullptr;
}

void IoSink::take_dirtied(const TracepointView& view, const abi::Sample& sample) {
  Thread& thread = threads_[sample.tid];
  const IoInode* const inode = written_inode(view);
  if (inode != nullptr) file_of(thread, *inode);
  if (inode == nullptr && !thread.has_file) return;
  const IoOperation operation = thread.call != nullptr ? thread.call->operation : IoOperation::Fault;
  ++sums_of(static_cast<Pid>(sample.pid), inode != nullptr ? thread.recent : thread.file, operation).dirtied;
}

void IoSink::take_writeback(const TracepointView& view, const abi::Sample& sample) {
  Thread& thread = threads_[sample.tid];
  const IoInode* const inode = written_inode(view);
  thread.has_recent = inode != nullptr;
  if (inode != nullptr) thread.recent = files_.with_inode(*inode);
}

// In a call, the page cache may not have named its file yet.
u32 IoSink::requested_file(const Thread& thread) {
  if (thread.has_recent && (!thread.has_file || files_.has_path(thread.recent))) return thread.recent;
  return thread.has_file ? thread.file : files_.with_path("[no file]");
}

void IoSink::take_block(const BlockEvent& event) {
  requests_.add(event);
  if (!request_.taker) return;
  const std::string file = event.record.is(abi::BlockAction::Queue)
                               ? files_.label(requested_file(threads_[event.sample->sample.tid]), request_.device_name)
                               : std::string();
  BlockEvent named = event;
  named.file = file;
  request_.taker(named);
}

void IoSink::label_request(BlockRequest& request, const BlockEvent& event) {
  const abi::Sample& sample = event.sample->sample;
  const Thread& thread = threads_[sample.tid];
  IoOperation operation = IoOperation::Fault;
  if (thread.call != nullptr)
    operation = thread.call->operation;
  else if (event.record.has(abi::block_trait::Write))
    operation = IoOperation::Writeback;
  request.row = row_of(static_cast<Pid>(sample.pid), requested_file(thread), operation);
  IoSums& sums = rows_[request.row].sums;
  ++sums.requests;
  sums.request_bytes += event.record.bytes;
}

std::vector<IoRow> IoSink::rows() const {
  std::vector<IoRow> rows;
  std::set<std::string> used;
  for (const Row& row : rows_)
    if (processes_[row.process].wanted) used.insert(files_.label(row.file, request_.device_name));
  for (const Row& row : rows_) {
    const Process& process = processes_[row.process];
    std::string file = files_.label(row.file, request_.device_name);
    if (!process.wanted && (row.operation != IoOperation::Writeback || !used.contains(file))) continue;
    rows.push_back({.process = fmt::format("{} {}", process.comm, process.pid),
                    .file = std::move(file),
                    .operation = row.operation,
                    .sums = row.sums});
  }
  return rows;
}

IoSink::Gaps IoSink::gaps() const {
  const RecordedTracepoints& there = tracepoints();
  return {.calls = !there.has(Enter) || !there.has(Leave),
          .names = names_ == 0,
          .lookups = !there.has(GetPages),
          .cache = !there.has(AddPages),
          .block = !blocks_.tracepoints().any(),
          .vectors = vectors_};
}

Result<> IoSink::outcome() const {
  PEREGRINE_TRY(TracepointSink::outcome());
  if (tracepoints().any()) return {};
  return std::unexpected(
      Error{ErrorKind::Unsupported, "this recording has no I/O events"}.with_hint("record with `perf io record`"));
}

}  // namespace peregrine
