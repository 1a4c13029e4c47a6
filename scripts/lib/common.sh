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

# print_usage SCRIPT: the comment that SCRIPT begins with.
print_usage() {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$1"
}

# take_options SCRIPT KNOWN ARGUMENT...: ends with the usage of SCRIPT when it is asked for, and with an error when an
# argument is none that it takes; KNOWN is an extended pattern of bash for those.
take_options() {
  local script="$1" known="$2" argument
  shift 2
  shopt -s extglob
  for argument; do
    case "$argument" in
      -h | --help)
        print_usage "$script"
        exit 0
        ;;
    esac
    # shellcheck disable=SC2254
    case "$argument" in
      $known) ;;
      *)
        printf '[tatami] error: %s takes no argument "%s"\n' "scripts/${script##*/}" "$argument" >&2
        print_usage "$script" >&2
        exit 2
        ;;
    esac
  done
}
