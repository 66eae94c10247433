#include "command_targets.h"

#include <algorithm>
#include <iterator>

namespace peregrine {

namespace {

constexpr CommandLine kReport[] = {
    {"report --stdio -i @in --symfs @empty --kallsyms @kallsyms"},
    {"report --stdio -i @in --symfs @lines --children -g graph,0.5,caller -n --show-total-period"},
    {"report --stdio -i @in --symfs @lines --no-children -g fractal,1 -s comm,dso,sym,srcline --inline"},
    {"report --stdio -i @in --symfs @empty --hierarchy -s comm,dso,sym,cpu --percent-limit 1"},
    {"report --stdio -i @in --symfs @empty --group --percentage relative -s pid,tid,sym,time"},
    {"report --stdio -i @in --symfs @fixtures/annotate --branch-history"},
    {"report --stdio -i @in --symfs @fixtures/annotate --total-cycles"},
    {"report --stdio -i @in --symfs @empty -s dso_from,symbol_from,dso_to,symbol_to,mispredict,cycles,in_tx,abort"},
    {"report --stdio -i @in --symfs @empty --mem-mode -s "
     "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked"},
    {"report --stdio -i @in --symfs @empty -s trace,comm -F overhead,sample,period"},
    {"report --stdio -i @in --symfs @empty -g folded,0,callee,count -p main --comms load -w 5,10"},
    {"report --stdio -i @in --symfs @empty --time 10%-90% --ns -s weight,cgroup,cgroup_id,socket,transaction,simd"},
    {"report --stdio -i @in --symfs @empty --switch-on cs --stitch-lbr --skip-empty -s "
     "sym_size,dso_size,code_page_size"},
    {"report --stdio -i @in --latency --symfs @empty -s comm,parallelism,latency"},
    {"report --tasks -i @in"},
    {"report --mmaps -i @in"},
    {"report --stats -i @in"},
    {"report --stdio --symbols-report --symfs @lines -i @in"},
    {"report --stdio -i - --symfs @empty -s comm,sym"},
    {"report --stdio -i @in --symfs @fixtures/data_types -s type,typeoff,typecln,sym"},
};
constexpr CommandLine kHeader[] = {
    {"report --header-only -I -i @in"},
    {"script --header -I -i @in --symfs @empty"},
    {"evlist -v -g -F --trace-fields -i @in"},
    {"evlist -i @in"},
    {"buildid-list -i @in"},
    {"buildid-list --with-hits -i @in"},
    {"report -D --stdio -i @in --symfs @empty"},
    {"script -D -i @in --symfs @empty"},
    {"script --dump-unsorted-raw-trace -i @in --symfs @empty"},
    {"script -D -i - --symfs @empty"},
    {"report --header-only -I -i -"},
};
constexpr CommandLine kScript[] = {
    {"script -i @in --symfs @empty --kallsyms @kallsyms"},
    {"script -i @in --symfs @lines --inline -F comm,tid,pid,time,cpu,event,ip,sym,symoff,dso,srcline,period"},
    {"script -i @in --symfs @empty -F +addr,+weight,+data_src,+phys_addr,+iregs,+uregs,+misc,+flags --ns"},
    {"script -i @in --symfs @fixtures/annotate -F ip,brstack,brstacksym,brstackoff"},
    {"script -i @in --symfs @fixtures/annotate -F ip,brstackinsn,srcline --max-blocks 4"},
    {"script -i @in --symfs @empty --show-task-events --show-mmap-events --show-switch-events --show-lost-events "
     "--show-namespace-events --show-cgroup-events --show-bpf-events --show-text-poke-events --show-round-events"},
    {"script -i @in --symfs @empty -F comm,tid,time,event,period,metric"},
    {"script -i @in --symfs @empty --format ftrace"},
    {"script -i @in --symfs @empty --format lttng"},
    {"script -i @in --symfs @empty -F +callsite"},
    {"report -i @in --symfs @empty --stdio -s callsite,sym --accessing-insn"},
    {"script -i @in --symfs @empty -F trace:comm,cpu,time,event,trace --reltime"},
    {"script -i @in --symfs @empty -F tod,event,bpf-output,synth --deltatime"},
    {"script -i @in --symfs @empty --max-stack 3 --stitch-lbr -G --time 10%-60%"},
    {"script -i @in --symfs @fixtures/annotate --call-trace"},
    {"script -i @in --symfs @empty --count-by event,comm"},
    {"script -i @in --symfs @empty --pair block_rq_issue,block_rq_complete --key dev,sector"},
    {"script -i @in --symfs @empty --hist bytes"},
    {"script -i @in --symfs @empty --count-by block_rq_issue.comm --sum bytes"},
    {"script -i @in --symfs @empty --agg count,sum(bytes),hist(period),first(comm)by(comm),cpu --interval 1ms"},
    {"script -i @in --symfs @empty --where cpu<2&&comm~* --format {event}|{comm:>9}|{time:d}|{tid:x}"},
    {"script -i - --symfs @empty"},
    {"script -i @in --symfs @empty -C 0,2 --comms load,reader --graph-function main"},
};
constexpr CommandLine kWriter[] = {
    {"report -i @in --symfs @lines --format json -s comm,dso,sym", Written::Json},
    {"report -i @in --symfs @lines --format jsonl -s pid,cpu,sym,srcline", Written::JsonLines},
    {"report -i @in --symfs @lines --format csv -s comm,dso,sym", Written::Csv},
    {"report -i @in --symfs @empty --hierarchy --format json -s comm,dso", Written::Json},
    {"report -i @in --symfs @empty --hierarchy --format csv -s comm,dso", Written::Csv},
    {"report -i @in --symfs @empty --total-cycles --format json", Written::Json},
    {"report -i @in --symfs @empty --total-cycles --format csv", Written::Csv},
    {"report -i @in --symfs @lines --format folded,all"},
    {"report -i @in --symfs @lines --format speedscope", Written::Json},
    {"report -i @in --symfs @lines --format pprof", Written::Pprof},
    {"report -i @in --symfs @lines --format callgrind"},
    {"report -i @in --symfs @lines --format butterfly,all"},
    {"report -i @in --symfs @lines --format gprof", Written::Anything},
    {"script -i @in --symfs @lines --format folded,count,all"},
    {"script -i @in --symfs @lines --format speedscope", Written::Json},
    {"script -i @in --symfs @lines --format pprof", Written::Pprof},
    {"script -i @in --symfs @lines --format callgrind"},
    {"script -i @in --symfs @lines --format firefox", Written::Json},
    {"script -i @in --symfs @lines --format firefox,count", Written::Json},
    {"script -i @in --symfs @lines --format chrome", Written::Json},
    {"script -i @in --symfs @lines --format jsonl", Written::JsonLines},
    {"script -i @in --symfs @lines --format csv", Written::Csv},
    {"report -i @in --symfs @lines --flamegraph @out", Written::Xml},
    {"report -i @in --symfs @lines --flamegraph @out --flamechart --title <&>", Written::Xml},
    {"report -i @in --symfs @lines --flamegraph @out -G --reverse --colors blue", Written::Xml},
    {"report -i @in --symfs @lines --html @out", Written::Page},
    {"report -i @in --symfs @empty --html @out --group", Written::Page},
    {"report -i @in --symfs @empty --heatmap @out", Written::Page},
    {"script -i @in --symfs @empty --pair block_rq_issue,block_rq_complete --key dev,sector --heatmap @out",
     Written::Xml},
    {"data convert --to-json @out -i @in", Written::Json},
    {"data convert --to-ctf @out --all -i @in", Written::Ctf},
    {"data convert --to-ctf @out --tod -i @in", Written::Ctf},
    {"report -i @in --symfs @lines --format csv --csv-safe -s comm,dso,sym", Written::SafeCsv},
    {"script -i @in --symfs @lines --format csv --csv-safe", Written::SafeCsv},
};
constexpr CommandLine kAnnotate[] = {
    {"annotate --stdio --no-source --symfs @fixtures/annotate -i @in"},
    {"annotate --stdio -l -P --symfs @fixtures/annotate -i @in"},
    {"annotate --stdio2 --symfs @fixtures/annotate -i @in"},
    {"annotate --stdio --group --show-total-period --no-source --symfs @fixtures/annotate -i @in"},
    {"annotate --stdio --no-source -M intel -n --asm-raw --symfs @fixtures/annotate -i @in"},
    {"annotate --stdio --no-source --percent-type global-period --percent-limit 1 --symfs @fixtures/annotate -i @in"},
    {"annotate --format json --group --symfs @fixtures/annotate -i @in", Written::Json},
    {"annotate --format jsonl --symfs @fixtures/annotate -i @in", Written::JsonLines},
    {"annotate --format csv --symfs @fixtures/annotate -i @in", Written::Csv},
};
constexpr CommandLine kDataType[] = {
    {"annotate --data-type --symfs @fixtures/data_types -i @in"},
    {"annotate --data-type=payload --type-stat -n --symfs @fixtures/data_types -i @in"},
    {"annotate --insn-stat --symfs @fixtures/data_types -i @in"},
    {"annotate --data-type --format csv --symfs @fixtures/data_types -i @in", Written::Csv},
    {"annotate --data-type --format json --symfs @fixtures/data_types -i @in", Written::Json},
    {"annotate --stdio --no-source --code-with-type --symfs @fixtures/data_types -i @in"},
    {"report --stdio -s type,typeoff,symoff --symfs @fixtures/data_types -i @in"},
    {"mem report -T --symfs @fixtures/data_types --stdio -i @in"},
    {"mem report --type-profile -F overhead,cache,type --symfs @fixtures/data_types --stdio -i @in"},
};
constexpr CommandLine kBlk[] = {
    {"blk script -i @in"},
    {"blk script -i @in -q -f %a|%-9C|%P|%S+%n|%T.%t|%U -d 254:0"},
    {"blk report -i @in --by device,comm,pid,rwbs,chain -A"},
    {"blk report -i @in -a read,complete"},
};
constexpr CommandLine kIo[] = {
    {"io report -i @in"},
    {"io report -i @in --by file,process -s disk-bytes -n 1 -p 7"},
    {"io report -i @in -x ,", Written::Csv},
};
constexpr CommandLine kSched[] = {
    {"sched -i @in latency"},
    {"sched latency -i @in -p -s runtime,switch,avg,max -C 1"},
    {"sched timehist -i @in -MVwn --state --kallsyms @kallsyms"},
    {"sched timehist -i @in -S"},
    {"sched timehist -i @in -s --state"},
    {"sched timehist -i @in -IS"},
    {"sched timehist -i @in --show-prio -g --max-stack 3"},
    {"sched timehist -i @in --time 5.004,5.010 -C 0"},
    {"sched map -i @in"},
    {"sched map -i @in --compact --color-cpus 0 --color-pids 10", Written::Anything},
    {"sched map -i @in --task-name read --fuzzy-name --cpus 0-1"},
    {"sched script -i @in"},
    {"sched replay -r 1 --max-time 1 --max-tasks 2 -i @in"},
    {"sched stats report -i @in"},
    {"sched stats diff @in @in"},
};
constexpr CommandLine kLock[] = {
    {"lock -i @in report"},
    {"lock report -i @in -c -t -k contended -F acquired,contended,avg_wait,wait_total,wait_max,wait_min"},
    {"lock contention -i @in -v"},
    {"lock contention -i @in -t -k wait_max -F contended,wait_min"},
    {"lock contention -i @in -l -E 1"},
    {"lock contention -i @in -Y mutex,rwsem:W"},
    {"lock contention -i @in --stack-skip 1 --max-stack 2"},
    {"lock info -i @in -m"},
    {"lock info -i @in -t"},
    {"lock contention -x, -i @in -v", Written::Values},
    {"lock contention -x, -i @in -t --csv-safe", Written::SafeValues},
    {"lock contention -x, -i @in -l --csv-safe --output @out", Written::SafeValues},
};
constexpr CommandLine kKmem[] = {
    {"kmem -i @in --caller --alloc stat --kallsyms @kallsyms"},
    {"kmem stat -i @in --caller -l 1 -s hit,frag,bytes --raw-ip --kallsyms @kallsyms"},
    {"kmem stat -i @in --alloc -s pingpong,ptr,callsite --kallsyms @kallsyms"},
    {"kmem stat -i @in --page --caller --alloc --kallsyms @kallsyms"},
    {"kmem stat -i @in --page --live --alloc -s page,order,migtype,gfp --caller -l 1 --raw-ip --kallsyms @kallsyms"},
    {"kmem stat -i @in --page --slab --time 0.000003, --kallsyms @kallsyms"},
};
constexpr CommandLine kKwork[] = {
    {"kwork report -i @in -S"},
    {"kwork report -i @in -s max,count,runtime,freq"},
    {"kwork latency -i @in -s avg,max,count"},
    {"kwork timehist -i @in -g --max-stack 2"},
    {"kwork -k softirq report -i @in -n TIMER -C 1 --time ,0.0014"},
    {"kwork -k workqueue,irq latency -i @in"},
    {"kwork top -i @in"},
};
constexpr CommandLine kTimechart[] = {
    {"timechart -i @in -o @out", Written::Xml},
    {"timechart -i @in -o @out -P", Written::Xml},
    {"timechart -i @in -o @out -T -n 1 --highlight 2500000", Written::Xml},
    {"timechart -i @in -o @out -p writer -p 30 --highlight read", Written::Xml},
    {"timechart -i @in -o @out --io-skip-eagain --io-merge-dist 0 --io-min-time 2ms", Written::Xml},
    {"timechart -i @in -o @out -t -w 100 --time 5.010,", Written::Xml},
    {"view -i @in --html @out", Written::Page},
    {"view -i @in --html @out --size-limit 1K", Written::Page},
};
constexpr CommandLine kMemory[] = {
    {"c2c report -i @in --stdio --no-source"},
    {"c2c report -i @in --stdio --no-source -d peer -N -c pid,dso"},
    {"c2c report -i @in --stdio --no-source -d lcl -NN -c tid,iaddr"},
    {"c2c report -i @in --stats -d rmt"},
    {"c2c report -i @in --stdio --no-source -g folded,count --stitch-lbr --show-all --full-symbols"},
    {"mem -i @in -D report"},
    {"mem -i @in -x, -p -D report", Written::Values},
    {"mem report -i @in --stdio --symfs @empty -t store -F overhead,mem"},
    {"mem report -i @in --stdio --symfs @empty -F overhead,op,cache,memory,snoop,dtlb,comm"},
    {"mem report -i @in --symfs @empty --format csv -F comm,op", Written::Csv},
    {"mem report -i @in --symfs @empty --format jsonl -F comm,cache", Written::JsonLines},
    {"mem -i @in -x, --csv-safe -D report", Written::SafeValues},
};
constexpr CommandLine kGuest[] = {
    {"kvm -i @in stat report"},
    {"kvm -i @in stat report -k time --vcpu 1"},
    {"kvm -i @in stat report --event mmio"},
    {"kvm -i @in stat report --event ioport -p 200"},
    {"kvm -i @in --guestkallsyms=@kallsyms --host --guest report --stdio -s comm,dso,sym"},
    {"kvm -i @in --guestkallsyms=@kallsyms buildid-list"},
    {"script -i @in --guestkallsyms=@kallsyms -F ip,sym,dso"},
};
constexpr CommandLine kDiff[] = {
    {"diff -s dso,sym --symfs @empty @in @second"},
    {"diff -c ratio -o 1 -s comm,dso -p -F --symfs @empty @in @second"},
    {"diff -c wdiff:1,2 -s dso,sym -b --symfs @empty @in @second"},
    {"diff -c cycles --cycles-hist --symfs @fixtures/annotate @in @second"},
    {"diff --stream --symfs @fixtures/annotate @in @second"},
    {"diff -c delta-abs --interval -s dso --time 0%-50%:50%-100% --symfs @empty @in @second"},
    {"diff -s dso --format json --symfs @empty @in @second", Written::Json},
    {"diff -s dso --format jsonl --symfs @empty @in @second", Written::JsonLines},
    {"diff -s dso --format csv --symfs @empty @in @second", Written::Csv},
    {"diff -s dso --format folded --symfs @empty @in @second"},
    {"diff -c cycles --format csv --symfs @fixtures/annotate @in @second", Written::Csv},
    {"diff --flamegraph @out --symfs @lines @in @second", Written::Xml},
    {"diff --html @out --symfs @lines @in @second", Written::Page},
};
constexpr CommandLine kTrace[] = {
    {"trace -i @in"},
    {"trace -F all -i @in"},
    {"trace -s --errno-summary -i @in"},
    {"trace -S --summary-mode thread -T -i @in"},
    {"trace -e %file,mmap --failure -i @in"},
    {"trace -i @in --where duration>=0||cpu<9 --format {comm}|{name}|{args}|{ret}|{error}|{duration:d}"},
    {"trace -F all -i @in --agg count,max(duration),last(args)by(name)"},
    {"trace --sched --call-graph dwarf --max-stack 3 -v --sort-events -i @in"},
    {"trace --print-sample --libtraceevent_print --comm --duration 1 -i @in"},
    {"trace -o @out -i @in"},
};
constexpr CommandLine kStat[] = {
    {"stat report -i @in"},
    {"stat -x, report -i @in -A", Written::Values},
    {"stat --metric-only report -i @in"},
    {"stat report --per-core -i @in"},
    {"stat report --per-socket -i @in"},
    {"stat report -j -i @in", Written::JsonLines},
    {"stat --metric-only -j report -i @in", Written::JsonLines},
    {"stat --hide-zero-events report --per-node -i @in"},
    {"stat -x, --csv-safe report -i @in", Written::SafeValues},
};
constexpr CommandLine kInject[] = {
    {"inject -i @in -o @out", Written::Recording},
    {"inject -b -i @in -o @out", Written::Recording},
    {"inject --buildid-all -i @in -o @out", Written::Recording},
    {"inject -s -i @in -o @out", Written::Recording},
    {"inject --strip --itrace=i1000 -i @in -o @out", Written::Recording},
    {"inject --itrace=bel -i @in -o @out", Written::Recording},
    {"inject --known-build-ids 00010203 -b -i @in -o @out", Written::Recording},
    {"inject -i -", Written::Recording},
    {"inject --jit -f -i @in -o @out", Written::Recording},
    {"inject --aslr -i @in -o @out", Written::Recording},
    {"inject --guest-data @in,7,5 -i @in -o @out", Written::Recording},
    {"inject --vm-time-correlation=dry-run -i @in"},
};
constexpr CommandLine kPython[] = {
    {"script -i @in --symfs @lines -s @scripts/each.py", Written::Anything},
    {"script -i @in --symfs @lines -s @scripts/named.py one --two", Written::Anything},
};
constexpr CommandLine kPerl[] = {{"script -i @in --symfs @lines -s @scripts/each.pl one", Written::Anything}};
constexpr CommandLine kAux[] = {
    {"script -i @in --symfs @lines --itrace=bei1us -F +flags,+ipc,+synth"},
    {"script -i @in --symfs @lines --itrace=cr --call-ret-trace"},
    {"script -i @in --symfs @lines --insn-trace"},
    {"report --stdio -i @in --symfs @lines --itrace=i100ix -s sym,sym_from,sym_to"},
    {"script -D -i @in --symfs @empty"},
    {"mem report --stdio -i @in --symfs @empty"},
};

constexpr CommandTarget kTargets[] = {
    {"annotate", kAnnotate},
    {"aux", kAux},
    {"blk", kBlk},
    {"data_type", kDataType},
    {"diff", kDiff},
    {"guest", kGuest},
    {"header", kHeader},
    {"inject", kInject},
    {"io", kIo},
    {"kmem", kKmem},
    {"kwork", kKwork},
    {"lock", kLock},
    {"memory", kMemory},
    {"perl", kPerl},
    {"python", kPython},
    {"report", kReport},
    {"sched", kSched},
    {"script", kScript},
    {"stat_report", kStat},
    {"timechart", kTimechart},
    {"trace", kTrace},
    {"writer", kWriter},
};

}  // namespace

std::span<const CommandTarget> command_targets() { return kTargets; }

const CommandTarget* find_command_target(std::string_view name) {
  const auto* const found = std::ranges::find(kTargets, name, &CommandTarget::name);
  return found == std::end(kTargets) ? nullptr : found;
}

}  // namespace peregrine
