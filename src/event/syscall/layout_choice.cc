#include "event/syscall/layout_choice.h"

#include <algorithm>
#include <cstddef>

#include "base/text/text_cursor.h"
#include "event/syscall/text_words.h"

namespace peregrine {
namespace {

// NAME LAYOUT=COMMAND[,COMMAND…]…; commands are hexadecimal, and > marks those that fill the struct.
constexpr std::string_view kChoices[] = {
    ("bpf bpf_map_create=0 bpf_elem=1,2,3,4,15 bpf_prog_load=5 bpf_obj=6,7 bpf_attach=8,9 bpf_test=a "
     "bpf_next_id=b,c,17,1f bpf_prog_id=d bpf_map_id=e bpf_info=f bpf_query=10 bpf_raw_tracepoint=11 bpf_btf_load=12 "
     "bpf_btf_id=13 bpf_task_fd=14 bpf_map=16 bpf_batch=18,19,1a,1b bpf_link_create=1c bpf_link_update=1d "
     "bpf_link_id=1e bpf_stats=20 bpf_iter=21 bpf_detach=22 bpf_bind=23"),
    ("ioctl termios=>5401,5402,5403,5404 termios2=>802c542a,402c542b,402c542c,402c542d winsize=>5413,5414 "
     "int=>540f,5410,>5411,>541b,5421,>5429,5452,>125e,>1268,>80045430,>80045438,>80045439,40045431,>80045200 "
     "size=>1260,>80081272,40082404 id=>80082407 fsflags=>80086601,40086602 fsxattr=>801c581f,401c5820 "
     "ifname=8910,8913,8914,8915,8916,8917,8919,891b,8921,8922,8927,8933,8942,8946 ifconf=8912 clone_range=4020940d "
     "fiemap=c020660b"),
    "msgctl msqid64_ds=1,>2,>b,>d",
    "seccomp sock_fprog=1 status=2 seccomp_sizes=>3",
    "semctl semid64_ds=1,>2,>12,>14",
    "shmctl shmid64_ds=1,>2,>d,>f",
};

LayoutChoice parse(std::string_view text, const StructLayouts& layouts) {
  LayoutChoice choice;
  choice.name = next_word(text);
  while (!text.empty()) {
    const std::string_view word = next_word(text);
    const std::size_t equals = word.find('=');
    const StructLayout* const layout = layouts.find(word.substr(0, equals));
    choice.most = std::max(choice.most, layout->size);
    TextCursor cursor(word.substr(equals));
    while (cursor.take('=') || cursor.take(',')) {
      LayoutChoice::Row row{.layout = layout, .filled = cursor.take('>')};
      row.command = cursor.take_number<u64>(16).value_or(0);
      choice.rows.push_back(row);
    }
  }
  std::ranges::sort(choice.rows, {}, &LayoutChoice::Row::command);
  return choice;
}

}  // namespace

const LayoutChoice::Row* LayoutChoice::of(u64 command) const {
  const auto found = std::ranges::lower_bound(rows, command, {}, &Row::command);
  return found == rows.end() || found->command != command ? nullptr : &*found;
}

LayoutChoices::LayoutChoices(const StructLayouts& layouts) {
  for (const std::string_view text : kChoices) choices_.push_back(parse(text, layouts));
}

const LayoutChoice* LayoutChoices::find(std::string_view name) const {
  const auto found = std::ranges::find(choices_, name, &LayoutChoice::name);
  return found == choices_.end() ? nullptr : &*found;
}

}  // namespace peregrine
