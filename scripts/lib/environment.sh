# Writes the files that put the environment into a shell: .ros/base.bash (ROS alone), .ros/setup.bash (with our messages).
# shellcheck shell=bash

# own_entry_free LIST: the colon-separated LIST without what an earlier setup.bash of any checkout put there.
own_entry_free() {
  local entry entries kept=""
  IFS=: read -ra entries <<<"$1"
  for entry in "${entries[@]}"; do
    case "$entry" in
      "" | */.ros/venv | */.ros/venv/* | */.ros/msgs/*) ;;
      *) kept="$kept${kept:+:}$entry" ;;
    esac
  done
  printf '%s' "$kept"
}

# write_file PATH: standard input to PATH, in one step, and only if it differs.
write_file() {
  local new="$1.new"
  cat >"$new"
  if cmp -s "$new" "$1"; then
    rm "$new"
  else
    mv "$new" "$1"
  fi
}

# write_environment_file PATH [MESSAGE_PREFIX...]: a file to be sourced. Reads MODE (wheels or sourced).
write_environment_file() {
  local file="$1"
  shift
  {
    printf '# Written by scripts/setup, which overwrites it. To be sourced by bash.\n\n'
    printf '_tatami_root=%q\n' "$TATAMI_ROOT"
    cat <<'BASH'

# _tatami_put NAME FOLDER...: puts the folders in front of the list in NAME, after taking out what stood there of ours.
_tatami_put() {
  local name="$1" list="" entry entries
  shift
  for entry in "$@"; do
    list="$list${list:+:}$entry"
  done
  IFS=: read -ra entries <<<"${!name:-}"
  for entry in "${entries[@]}"; do
    case "$entry" in
      "" | "$_tatami_root"/.ros/* | "$_tatami_root"/target/release) ;;
      *) list="$list${list:+:}$entry" ;;
    esac
  done
  export "$name=$list"
}

BASH
    if [[ "$MODE" == wheels ]]; then
      write_wheels_variables "$@"
    else
      write_sourced_variables "$@"
    fi
    cat <<'BASH'
# Stay on this machine unless somebody says otherwise.
export ROS_AUTOMATIC_DISCOVERY_RANGE="${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}"

unset -f _tatami_put
unset _tatami_root
BASH
  } | write_file "$file"
}

# quoted WORD...: the words as bash reads them back.
quoted() {
  printf ' %q' "$@"
}

# python_folders PREFIX...: where the prefixes hold Python packages.
python_folders() {
  local prefix folder
  for prefix in "$@"; do
    for folder in "$prefix"/{,local/}lib/python3*/{site,dist}-packages; do
      [[ ! -d "$folder" ]] || printf '%s\n' "$folder"
    done
  done
}

write_python_path() {
  local folders
  mapfile -t folders < <(python_folders "$@")
  printf '_tatami_put PYTHONPATH%s\n' "$(quoted "${folders[@]}")"
}

write_wheels_variables() {
  local libraries=("${@/%//lib}" "$VENV/lib" "$(site_packages)"/ros_*.libs)
  printf 'export ROS_DISTRO=jazzy ROS_VERSION=2 ROS_PYTHON_VERSION=3 RMW_IMPLEMENTATION=rmw_fastrtps_cpp\n'
  printf '_tatami_put AMENT_PREFIX_PATH%s\n' "$(quoted "$@" "$VENV")"
  printf '_tatami_put CMAKE_PREFIX_PATH%s\n' "$(quoted "$@" "$VENV")"
  printf '_tatami_put LD_LIBRARY_PATH%s\n' "$(quoted "${libraries[@]}")"
  printf '_tatami_put PATH%s\n' "$(quoted "$TATAMI_ROOT/target/release" "$VENV/bin")"
  (($# == 0)) || write_python_path "$@"
  printf '# The wheels would start every Python twice to set LD_LIBRARY_PATH, which is set above.\n'
  printf 'export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1\n'
  printf '# For bindgen, which r2r generates its bindings with.\n'
  printf 'export LIBCLANG_PATH=%q\n' "$(site_packages)/clang/native"
  if ! command -v clang >/dev/null && command -v gcc >/dev/null; then
    printf 'export BINDGEN_EXTRA_CLANG_ARGS=%q\n' "-I$(gcc -print-file-name=include)"
  fi
}

write_sourced_variables() {
  cat <<'BASH'
if [[ -z "${AMENT_PREFIX_PATH:-}" ]]; then
  echo "tatami: this was set up with a ROS 2 that was sourced: source that first, or run scripts/setup again" >&2
  unset -f _tatami_put
  unset _tatami_root
  return 1
fi
BASH
  (($# > 0)) || return 0
  printf '_tatami_put AMENT_PREFIX_PATH%s\n' "$(quoted "$@")"
  printf '_tatami_put CMAKE_PREFIX_PATH%s\n' "$(quoted "$@")"
  printf '_tatami_put LD_LIBRARY_PATH%s\n' "$(quoted "${@/%//lib}")"
  printf '_tatami_put PATH%s\n' "$(quoted "$TATAMI_ROOT/target/release")"
  write_python_path "$@"
}
