# Runs inside the arm64 VM, which has hardware counters: compares counts and samples of both programs.
export PERF_PAGER=cat PAGER=cat LC_ALL=C
ok() { echo "ok vm/arm64/$1"; }
bad() { echo "not ok vm/arm64/$1: $(echo "$2" | tr '\n:' '~;' | cut -c1-300)"; }
check() {  # name, what must be true (for awk), values
  name=$1 truth=$2; shift 2
  awk "BEGIN { exit !($truth) }" && ok "$name" || bad "$name" "$truth, $*"
}
field() {  # program's -x output, event, field number
  awk -F, -v event="$2" -v number="$3" '$3 == event { print $number; exit }' "$1"
}
near() { echo "($1) > 0 && ($1) > ($2) * (1 - $3) && ($1) < ($2) * (1 + $3)"; }
ls /sys/bus/event_source/devices | grep -q armv8 || { echo "skip vm/arm64: this kernel has no counters"; exit 0; }

both() {  # name, options of stat: into ours.csv, perf.csv
  name=$1; shift
  peregrine stat -x, -o ours.csv "$@" load spin >/dev/null 2>ours.err || bad "$name/ours" "$(cat ours.err)"
  perf stat -x, -o perf.csv "$@" load spin >/dev/null 2>perf.err || bad "$name/linux-perf" "$(cat perf.err)"
  # The same events in the same order, with the same units and number of fields.
  awk -F, '!/^#/ && NF { print $2 "|" $3 "|" NF }' ours.csv > ours.shape
  awk -F, '!/^#/ && NF { print $2 "|" $3 "|" NF }' perf.csv > perf.shape
  cmp -s ours.shape perf.shape && ok "$name/shape" || bad "$name/shape" "$(diff perf.shape ours.shape)"
}

both plain -e cycles,instructions,task-clock
check plain/cycles "$(near "$(field ours.csv cycles 1)" "$(field perf.csv cycles 1)" 0.4)" "$(cat ours.csv perf.csv)"
check plain/instructions "$(near "$(field ours.csv instructions 1)" "$(field perf.csv instructions 1)" 0.4)" "$(cat ours.csv perf.csv)"

both modifiers -e '{cycles,cycles:u,cycles:k}'
all=$(field ours.csv cycles 1) user=$(field ours.csv cycles:u 1) kernel=$(field ours.csv cycles:k 1)
check modifiers/sum "$(near "$user + $kernel" "$all" 0.02)" "$(cat ours.csv)"
check modifiers/spins-in-user-space "$user > $kernel" "$(cat ours.csv)"

both group -e '{cycles,instructions}'
check group/together "$(field ours.csv cycles 4) == $(field ours.csv instructions 4)" "$(cat ours.csv)"
check group/all-the-time "$(field ours.csv cycles 5) == 100" "$(cat ours.csv)"

# Six counters plus the cycle counter: ten events must take turns.
many=instructions:u,instructions:k,instructions,r08:u,r08:k,r08,r23,r24,r8:uk,r11:u
both multiplexed -e $many
check multiplexed/takes-turns "$(field ours.csv instructions 5) < 100 && $(field ours.csv instructions 5) > 10" "$(cat ours.csv)"
check multiplexed/estimate "$(near "$(field ours.csv instructions 1)" "$(field ours.csv r08 1)" 0.5)" "$(cat ours.csv)"
peregrine stat --no-scale -x, -o raw.csv -e $many load spin >/dev/null 2>&1
check multiplexed/no-scale "$(field raw.csv instructions 1) < $(field ours.csv instructions 1) * 0.95" "$(cat raw.csv ours.csv)"

peregrine stat -e '{instructions,r08,r11:u,r11:k,r08:u,r08:k,r11,instructions:u}' load spin >large.txt 2>&1
grep -q 'not supported\|not counted\|group' large.txt && ok group/too-large-is-said || bad group/too-large-is-said "$(cat large.txt)"

compare() {  # name, words of the reading command
  case=$1; shift
  peregrine "$@" >ours.txt 2>ours.err; mine=$?
  perf "$@" >perf.txt 2>perf.err; theirs=$?
  cmp -s ours.txt perf.txt && [ $mine = $theirs ] && ok "$case" ||
    bad "$case" "exit $mine and $theirs, $(diff perf.txt ours.txt | head -3) $(head -1 ours.err)"
}
sampled() {  # name, options of record: by both, read by both
  name=$1; shift
  for recorder in perf peregrine; do
    if $recorder record -o $recorder.data "$@" load spin >record.txt 2>&1; then
      compare "$name/$recorder/script" script -i $recorder.data -F comm,tid,cpu,time,period,event,ip,sym,dso
      compare "$name/$recorder/stats" report --stats -i $recorder.data
    else bad "$name/$recorder" "$(tail -2 record.txt)"; fi
    perf script -i $recorder.data -F period,ip 2>/dev/null >$recorder.samples
  done
}
sampled overflow/count -e cycles -c 500000
check overflow/count/as-many "$(near "$(wc -l <peregrine.samples)" "$(wc -l <perf.samples)" 0.4)" "$(wc -l perf.samples peregrine.samples)"
check overflow/count/period "$(awk '$1 != 500000' peregrine.samples | wc -l) == 0" "$(head -3 peregrine.samples)"
sampled overflow/frequency -e instructions -F 500 -g
sampled overflow/user -e cycles:u -c 500000
check overflow/user/only "$(awk 'length($2) == 16' peregrine.samples | wc -l) == 0" "$(awk 'length($2) == 16' peregrine.samples | head -3)"
sampled overflow/kernel -e cycles:k -c 20000
# The emulated interrupt arrives late, at a user-space instruction, so only the attr can be checked.
peregrine evlist -v -i peregrine.data | grep -q 'exclude_user: 1' && ok overflow/kernel/only || bad overflow/kernel/only "$(peregrine evlist -v -i peregrine.data)"
peregrine stat load spin >default.txt 2>&1; grep -q 'insn per cycle' default.txt && ok default/insn-per-cycle || bad default/insn-per-cycle "$(cat default.txt)"
peregrine record -o default.data load spin >/dev/null 2>&1; compare default/evlist evlist -i default.data
peregrine evlist -i default.data | grep -q cycles && ok default/samples-cycles || bad default/samples-cycles "$(peregrine evlist -i default.data)"
every_event vm/arm64
