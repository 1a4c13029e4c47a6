# Processes that a script starts, and ends again one by one.
# shellcheck shell=bash

PROCESSES=()

# start COMMAND...: in the background; sets LAST_PROCESS to its id.
start() {
  "$@" </dev/null &
  LAST_PROCESS=$!
  PROCESSES+=("$LAST_PROCESS")
}

is_alive() {
  kill -0 "$1" 2>/dev/null
}

# ended_within SECONDS PID: waits for it that long; whether it ended.
ended_within() {
  timeout "$1" tail --pid="$2" --sleep-interval=0.1 -f /dev/null || true
  ! is_alive "$2"
}

# end_process PID: asks with SIGINT, then SIGTERM, then makes it end.
end_process() {
  local signal
  for signal in INT TERM; do
    is_alive "$1" || return 0
    kill "-$signal" "$1" 2>/dev/null || true
    ! ended_within 5 "$1" || return 0
  done
  say "process $1 does not end by itself: killing it"
  kill -KILL "$1" 2>/dev/null || true
}

# end_processes: all that were started, the last one first.
end_processes() {
  local index
  for ((index = ${#PROCESSES[@]} - 1; index >= 0; index--)); do
    end_process "${PROCESSES[index]}"
  done
  PROCESSES=()
}
