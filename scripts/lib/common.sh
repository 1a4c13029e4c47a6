# Shared by the scripts of this folder: where the repository is, and how to talk to the person who runs them.
# shellcheck shell=bash

TATAMI_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)"
# Everything that the scripts make, apart from cargo's target/, lies here and is ignored by git.
TATAMI_ENV="$TATAMI_ROOT/.ros"
# Where the scripts, and .ros/setup.bash for PATH, expect the programs, whatever the caller's shell says.
export CARGO_TARGET_DIR="$TATAMI_ROOT/target"

# say TEXT: one line of progress.
say() {
  printf '[tatami] %s\n' "$*" >&2
}

# fail TEXT...: one line each, then the end.
fail() {
  printf '[tatami] error: %s\n' "$1" >&2
  shift
  (($# == 0)) || printf '           %s\n' "$@" >&2
  exit 1
}

# show_help: the comment that the running script begins with; then the end.
show_help() {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
  exit 0
}

# refuse_argument ARGUMENT: says so, and how the running script is used; then the end, with 2.
refuse_argument() {
  printf '[tatami] error: unknown argument: %s\n' "$1" >&2
  sed -n 's/^# Usage:/           usage:/p' "$0" >&2
  exit 2
}

# run_logged LOG TEXT COMMAND...: runs a long command, its output in LOG; when it fails, shows the end of that.
run_logged() {
  local log="$1" text="$2" status=0
  shift 2
  mkdir -p "$(dirname "$log")"
  say "$text (output in ${log#"$TATAMI_ROOT"/})"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    tail -n 40 "$log" >&2
    fail "this failed with status $status: $text" "the whole output is in $log"
  fi
}

# hash_of_input: a short hash of what stands on standard input.
hash_of_input() {
  sha256sum | cut -c1-12
}

# hash_of_folder DIR: one short hash over the names and contents of all files below DIR.
hash_of_folder() {
  (cd "$1" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) | hash_of_input
}

# stamp_is FILE KEY: whether the step that writes FILE was finished for KEY.
stamp_is() {
  [[ -f "$1" && "$(<"$1")" == "$2" ]]
}
