# What must be on a machine before scripts/setup can do anything.
# shellcheck shell=bash

# The oldest and newest Python that the ROS wheels are made for.
readonly PYTHON_MINORS=(14 13 12 11 10)

# python_facts COMMAND NEWEST: prints "<executable> <version> <include folder>" of a Python 3.10 to 3.NEWEST that can carry
# an environment: the interpreter itself, not a virtual environment around it (ours may be on PATH). Prints why not, and
# fails, if it can't.
python_facts() {
  env -u PYTHONHOME -u PYTHONPATH "$1" - "$2" <<'PY'
import sys, sysconfig
newest = int(sys.argv[1])
if not (3, 10) <= sys.version_info[:2] <= (3, newest):
    sys.exit("is %d.%d, not 3.10 to 3.%d" % (*sys.version_info[:2], newest))
if sys.implementation.name != "cpython":
    sys.exit("is %s, not CPython" % sys.implementation.name)
for module in ("venv", "ensurepip"):
    try:
        __import__(module)
    except ImportError:
        sys.exit("lacks the module %s (Debian, Ubuntu: apt install python3-venv)" % module)
include = sysconfig.get_path("include", vars={"installed_base": sys.base_prefix, "base": sys.base_prefix})
print(getattr(sys, "_base_executable", sys.executable), sys.version.split()[0], include, sep="\t")
PY
}

# find_python: sets BASE_PYTHON, BASE_PYTHON_VERSION and BASE_PYTHON_INCLUDE, or says in PYTHON_PROBLEM why it could not.
find_python() {
  local command facts candidates=() problems=()
  if [[ -n "${TATAMI_PYTHON:-}" ]]; then
    candidates=("$TATAMI_PYTHON")
  else
    candidates=(python3 "${PYTHON_MINORS[@]/#/python3.}")
  fi
  for command in "${candidates[@]}"; do
    command -v "$command" >/dev/null || continue
    if ! facts="$(_ROS_WHEELS_BOOTSTRAP_COMPLETE=1 python_facts "$command" "${PYTHON_MINORS[0]}" 2>&1)"; then
      problems+=("$command $(tail -n 1 <<<"$facts")")
      continue
    fi
    IFS=$'\t' read -r BASE_PYTHON BASE_PYTHON_VERSION BASE_PYTHON_INCLUDE <<<"$facts"
    [[ ! -f "$BASE_PYTHON_INCLUDE/Python.h" ]] || return 0
    problems+=("$command lacks Python.h in $BASE_PYTHON_INCLUDE (Debian, Ubuntu: apt install python3-dev)")
  done
  PYTHON_PROBLEM="$(printf '%s; ' "${problems[@]}")"
  PYTHON_PROBLEM="${PYTHON_PROBLEM%; }"
  [[ -n "$PYTHON_PROBLEM" ]] || PYTHON_PROBLEM="none found on PATH"
  return 1
}

# check_compilers: appends to the array MISSING what is needed for any build.
check_compilers() {
  if ! command -v cargo >/dev/null; then
    MISSING+=("cargo: install Rust with rustup, or put ~/.cargo/bin on PATH")
  fi
  if ! command -v cc >/dev/null || ! command -v c++ >/dev/null; then
    MISSING+=("a C and a C++ compiler named cc and c++ (Debian, Ubuntu: apt install build-essential)")
  fi
}

# report_missing: ends the script if the array MISSING holds anything.
report_missing() {
  ((${#MISSING[@]} == 0)) || fail "this machine lacks what the setup needs:" "${MISSING[@]/#/- }"
}

# check_machine_for_wheels: everything that an environment from PyPI needs.
check_machine_for_wheels() {
  local glibc
  MISSING=()
  if [[ "$(uname -s) $(uname -m)" != "Linux x86_64" ]]; then
    MISSING+=("Linux on x86_64 (this is $(uname -s) on $(uname -m)): on others, source a ROS 2 installation first")
  fi
  glibc="$(getconf GNU_LIBC_VERSION 2>/dev/null || true)"
  if [[ "$(printf '%s\n' "glibc 2.28" "$glibc" | sort -V | head -n 1)" != "glibc 2.28" ]]; then
    MISSING+=("glibc 2.28 or newer (this is ${glibc:-another C library}): the ROS wheels are linked against it")
  fi
  find_python ||
    MISSING+=("CPython 3.10 to 3.14 with venv, ensurepip and Python.h (TATAMI_PYTHON=... names one): $PYTHON_PROBLEM")
  check_compilers
  report_missing
}

# check_machine_with_ros: everything that is needed beside a ROS 2 installation that was sourced.
check_machine_with_ros() {
  MISSING=()
  check_compilers
  if ! command -v cmake >/dev/null; then
    MISSING+=("cmake, to build the message packages (apt install cmake)")
  fi
  if [[ -z "${LIBCLANG_PATH:-}" ]] && ! command -v clang >/dev/null && ! ldconfig_lists libclang; then
    MISSING+=("libclang, which r2r reads the ROS headers with (apt install libclang-dev, or set LIBCLANG_PATH)")
  fi
  report_missing
}

# ldconfig_lists NAME: whether the system's loader knows a library with that name.
ldconfig_lists() {
  local listing
  listing="$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null || true)"
  [[ "$listing" == *"$1"* ]]
}
