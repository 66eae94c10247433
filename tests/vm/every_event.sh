# every_event PREFIX: each event of `list` opens, or -v says why not; for tracepoints, only every 25th. For scripts in a
# VM.
every_event() {
  opened=0 explained=0
  for event in $(peregrine list --raw-dump hw sw cache pmu) \
      $(peregrine list --raw-dump tracepoint | tr ' ' '\n' | awk 'NR % 25 == 1'); do
    if peregrine stat -v -e "$event" true >event.txt 2>&1 && ! grep -q '<not ' event.txt; then opened=$((opened + 1))
    elif grep -q "^ .*${event%%[*[]*}.*: " event.txt; then explained=$((explained + 1))
    else echo "not ok $1/every-event/$event: $(tr '\n:' '~;' <event.txt | cut -c1-200)"; fi
  done
  [ $opened -gt 40 ] && echo "ok $1/every-event, $opened opened, $explained explained" ||
    echo "not ok $1/every-event: only $opened of them opened, $explained were explained"
}
