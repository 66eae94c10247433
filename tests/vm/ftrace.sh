# ftrace on a kernel with the function tracers: checks its output, and that it leaves nothing behind. Runs inside the
# VM.
t=/sys/kernel/tracing
ours() { timeout 20 /usr/bin/peregrine "$@"; }
check() { # CASE PATTERN COMMAND…
  name=$1 pattern=$2
  shift 2
  "$@" >out 2>err </dev/null
  if grep -qE -e "$pattern" out err; then echo "ok ftrace/$name"; else echo "not ok ftrace/$name: no line '$pattern'"; head -12 out; head -5 err; fi
}
state() { cat $t/current_tracer $t/tracing_on $t/set_ftrace_filter $t/set_graph_function $t/set_ftrace_pid $t/max_graph_depth \
  $t/tracing_thresh $t/tracing_cpumask $t/options/func_stack_trace $t/options/funcgraph-tail $t/events/sched/sched_switch/enable; ls $t/instances; }
# not the defaults: settings of somebody else, which must be restored
echo 1 > $t/tracing_on
echo vfs_open > $t/set_ftrace_filter
echo 7 > $t/max_graph_depth
state > before
check functions '^vfs_read$' ours ftrace -F 'vfs_re*'
check function ': vfs_read <-' ours ftrace -T vfs_read -- dd if=/proc/version of=/dev/null
check function-header 'TASK-PID' ours ftrace -T vfs_read -- dd if=/proc/version of=/dev/null
check function-glob ': vfs_(read|open) <-' ours ftrace -T 'vfs_*' -- dd if=/proc/version of=/dev/null
check stack '=> ksys_read' ours ftrace -T vfs_read --func-opts call-graph -- dd if=/proc/version of=/dev/null
check graph '\| +vfs_read\(\) \{' ours ftrace -G vfs_read -- dd if=/proc/version of=/dev/null
ours ftrace -G vfs_read --graph-opts depth=1 -- dd if=/proc/version of=/dev/null >out 2>&1
if grep -q 'vfs_read();' out && ! grep -q 'seq_read' out; then echo "ok ftrace/depth"; else echo "not ok ftrace/depth"; head out; fi
state > after
if cmp -s before after; then echo "ok ftrace/options-restored"; else echo "not ok ftrace/options-restored"; diff before after; fi
ours ftrace -T vfs_read -- sh -c 'echo $$ >pid; exec dd if=/proc/version of=/dev/null' >out 2>&1
# Only the pid is certain: the kernel learns a process's name when it is next switched out, and shows <...> before that.
if grep -q -e "-$(cat pid) .*: vfs_read <-" out && ! grep ' \[00[01]\] ' out | grep -qv -e "-$(cat pid) "; then echo "ok ftrace/only-the-command"
else echo "not ok ftrace/only-the-command: $(cat pid)"; grep -v '^#' out | head; fi
check event 'sched_switch:' ours ftrace -T vfs_read -e sched:sched_switch -a -- sleep 0.2
check all-cpus '\[00[01]\]' ours ftrace -T vfs_read -a -- sleep 0.2
check one-cpu '\[001\]' ours ftrace -T schedule -C 1 -- sleep 0.3
ours ftrace -T schedule -C 1 -- sleep 0.3 >out 2>&1
if grep -q '\[000\]' out; then echo "not ok ftrace/no-other-cpu"; else echo "ok ftrace/no-other-cpu"; fi
ours ftrace -T 'vfs_*' -N vfs_read -- dd if=/proc/version of=/dev/null >out 2>&1
if grep -q ': vfs_[a-z]* <-' out && ! grep -q ': vfs_read <-' out; then echo "ok ftrace/all-but"; else echo "not ok ftrace/all-but"; head out; fi
# Readers pause: an emulated CPU that traces a busy loop does nothing else.
reads() { while :; do read -r _ </proc/version; sleep 0.02; done; }
reads & reader=$!
reads & other=$!
ours ftrace -T vfs_read -p $reader -- sleep 0.3 >out 2>&1
if grep -q -e "-$reader .*: vfs_read <-" out && ! grep -v "^#" out | grep -qv -e "-$reader "; then echo "ok ftrace/one-process"
else echo "not ok ftrace/one-process: $reader, not $other"; grep -v -e "-$reader " out | head; fi
kill $reader $other
check latency '[1-9][0-9]* \| #+' ours ftrace latency -T vfs_read -a -- dd if=/proc/version of=/dev/null
check latency-ns ' ns \|' ours ftrace latency -n -T vfs_read -a -- dd if=/proc/version of=/dev/null
check profile ' vfs_read$' ours ftrace profile -T 'vfs_*' -a -- dd if=/proc/version of=/dev/null
check unknown "no traceable function matches 'vfs_raed'" ours ftrace -T vfs_raed -- true
check unknown-near 'vfs_read' ours ftrace -T vfs_raed -- true
check unknown-tracer "no tracer 'hwlat'" ours ftrace -t hwlat -- true
# Triggers that other kernels lack: histograms and snapshots.
check histogram '^hitcount +next_pid' ours ftrace events -e sched:sched_switch --trigger sched:sched_switch:hist:keys=next_pid -a -- sleep 0.3
check snapshot 'sched_process_exit: ' ours ftrace events -e sched:sched_process_exit --trigger sched:sched_process_exit:snapshot -a -- true
state > after
if cmp -s before after; then echo "ok ftrace/restored"; else echo "not ok ftrace/restored"; diff before after; fi
/usr/bin/peregrine ftrace -G vfs_read -a -- sleep 30 >/dev/null 2>&1 &
sleep 1; grep -q function_graph $t/current_tracer || echo "not ok ftrace/kill: it never ran"
kill -9 $!
for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1; state > after; cmp -s before after && break; done
if cmp -s before after; then echo "ok ftrace/restored-after-kill"; else echo "not ok ftrace/restored-after-kill"; diff before after; fi
/usr/bin/peregrine ftrace -T vfs_read -a -- sleep 30 >/dev/null 2>&1 &
sleep 1; kill -9 $!
for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1; [ -z "$(ls $t/instances)" ] && break; done
if [ -z "$(ls $t/instances)" ]; then echo "ok ftrace/instance-removed"; else echo "not ok ftrace/instance-removed"; ls $t/instances; fi

# Recorder and guard are killed together, as a control group: nothing is restored until the next start.
verdict() { if [ "$2" = 0 ]; then echo "ok ftrace/$1"; else echo "not ok ftrace/$1: $3"; fi; }
mkdir -p /cgroups && mount -t cgroup2 cgroups /cgroups && mkdir /cgroups/doomed
doom() { # PATTERN FILES COMMAND…: starts ours in the group, and waits until a file of the tracer matches
  pattern=$1 files=$2; shift 2
  sh -c 'echo 0 >/cgroups/doomed/cgroup.procs; exec /usr/bin/peregrine "$@"' sh "$@" >/dev/null 2>doom.err &
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.5; grep -q "$pattern" $files 2>/dev/null && break; done
  sleep 0.5
}
slay() {
  echo 1 >/cgroups/doomed/cgroup.kill
  for i in 1 2 3 4 5 6 7 8 9 10; do [ -s /cgroups/doomed/cgroup.procs ] || break; sleep 0.2; done
  state >left
}
next() { ours version >/dev/null 2>said; state >after; }

mkdir $t/instances/other; state >before
doom function_graph $t/current_tracer ftrace -G vfs_read --graph-opts depth=2 -a -- sleep 60
state >live; next; cmp -s live after && [ ! -s said ]; verdict next-start-leaves-the-living $? "$(diff live after; cat said)"
slay; cmp -s live left; verdict killed-group-leaves-settings $? "$(diff live left)"
next; cmp -s before after; verdict next-start-restores $? "$(diff before after) $(cat said)"
grep -q 'removed leftovers of killed process [0-9]*: settings of the tracer' said; verdict next-start-says-so $? "$(cat said)"
next; [ ! -s said ] && [ -z "$(ls /run/peregrine)" ]; verdict said-once $? "$(cat said; ls /run/peregrine)"

doom function_graph $t/current_tracer ftrace -G vfs_read --graph-opts depth=2 -a -- sleep 60
slay; echo 5 >$t/max_graph_depth; state >left
next; cmp -s left after && grep -q 'someone else has set max_graph_depth' said; verdict others-settings-stay $? "$(diff left after) $(cat said)"
echo 0 >$t/tracing_on; echo nop >$t/current_tracer; echo 7 >$t/max_graph_depth; echo >$t/set_graph_function
echo vfs_open >$t/set_ftrace_filter; echo 1 >$t/tracing_on; state >after
cmp -s before after; verdict reset $? "$(diff before after)"

doom '^function$' "$t/instances/peregrine-*/current_tracer" ftrace -T vfs_read --func-opts call-graph -a -- sleep 60
slay; [ "$(ls $t/instances | wc -l)" = 2 ]; verdict killed-group-leaves-an-instance $? "$(ls $t/instances; cat doom.err)"
next; [ "$(ls $t/instances)" = other ]; verdict next-start-removes-the-instance $? "$(ls $t/instances; cat said)"
cmp -s before after; verdict next-start-restores-its-options $? "$(diff before after)"

mount -o bind $t/instances $t/instances && mount -o remount,bind,ro $t/instances
ours ftrace -T vfs_read -- true >out 2>&1; status=$?; umount $t/instances
[ $status != 0 ] && grep -q "cannot create tracing instance '$t/instances/peregrine-.*Read-only" out; verdict no-instance-no-trace $? "$(head -3 out)"
state >after; cmp -s before after; verdict no-instance-nothing-changed $? "$(diff before after)"

echo function >$t/current_tracer; ours ftrace -G vfs_read -- true >out 2>&1
grep -q "'function_graph' replaces the tracer 'function'" out; verdict replaced-tracer-is-named $? "$(head -3 out)"
echo nop >$t/current_tracer
