# Runs inside the VM: records with both programs, reads with both, and compares.
export PERF_PAGER=cat PAGER=cat LC_ALL=C
# Whether both warn about lost records, as on an overloaded machine. Their output may then differ.
lost_events() { grep -q '^Processed .* lost ' ours.err && grep -q '^Processed .* lost ' perf.err; }
compare() {  # name, words of the reading command
  case=$1; shift
  peregrine "$@" >ours.txt 2>ours.err; mine=$?
  perf "$@" >perf.txt 2>perf.err; theirs=$?
  if cmp -s ours.txt perf.txt && [ $mine = $theirs ]; then echo "ok vm/$case"
  elif [ $mine = $theirs ] && lost_events; then echo "skip vm/$case: $(sed -n 's/^Processed/the recorder processed/p' ours.err | head -1)"
  else echo "not ok vm/$case: exit $mine and $theirs; $(diff perf.txt ours.txt | grep '^[-+] ' | head -4 | tr '\n' '~') $(head -1 ours.err)"; fi
}
record() {  # name, options…
  name=$1; shift
  for recorder in peregrine perf; do
    for attempt in 1 2 3; do  # a recording that lost events is made anew
      rm -f file.data
      $recorder record -o file.data "$@" >record.txt 2>&1; code=$?
      [ $code = 0 ] && perf report --stats -i file.data 2>&1 | grep -q ' LOST' || break
    done
    if [ $code = 0 ] && [ -s file.data ]; then
      compare "$recorder/$name/script" script -i file.data -F comm,pid,tid,cpu,time,event,ip,sym,dso
      compare "$recorder/$name/evlist" evlist -v -i file.data
      compare "$recorder/$name/stats" report --stats -i file.data
    elif [ $recorder = perf ]; then echo "skip vm/$recorder/$name: $(tail -1 record.txt)"
    else echo "not ok vm/$recorder/$name: $(tail -2 record.txt | tr '\n' ' ')"; fi
  done
}
record clock -e cpu-clock -- load spin
record chains -e cpu-clock -g -- load threads
record system -a -e cpu-clock -g -- load forks
record several -e cpu-clock,page-faults,cs -- load faults
record tracepoint -a -e sched:sched_switch -- load switch
record zstd -z -e cpu-clock -g -- load spin
echo 'p:probe/vfs_open vfs_open' >> /sys/kernel/tracing/kprobe_events
record kprobe -e probe:vfs_open -- load spin
peregrine stat -e task-clock,page-faults load spin >stat.txt 2>&1 && grep -q 'task-clock' stat.txt && echo 'ok vm/stat' ||
  echo "not ok vm/stat: $(head -3 stat.txt | tr '\n' ' ')"
# This kernel's verifier knows less about bounds than later ones, but must accept the programs.
peregrine trace -v -o lines -e execve,openat,writev sh -c 'exec cat /proc/version' >trace.txt 2>&1
if grep -q 'BPF programs' trace.txt && grep -q 'execve(filename: "[^"]*", argv: \["cat", "/proc/version"\]' lines; then echo 'ok vm/trace'
else echo "not ok vm/trace: $(head -1 trace.txt) $(grep execve lines | head -2)"; fi
peregrine trace -v -o lines -e openat,close -F min --max-stack 4 cat /proc/version >trace.txt 2>&1
if grep -q 'BPF programs.*sampled beside' trace.txt && grep -q 'minfault' lines && grep -A1 'openat(.*"/proc/version"' lines | grep -q '^  *[^ ].* (/.*)$'; then
  echo 'ok vm/trace-chains'
else echo "not ok vm/trace-chains: $(head -1 trace.txt) $(head -3 lines)"; fi
every_event vm
