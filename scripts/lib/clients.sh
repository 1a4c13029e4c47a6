# The real packages of the Kachaka's users in .ros/clients, for the tests that run them.
# shellcheck shell=bash

CLIENTS_VENV="$TATAMI_ENV/clients"
readonly CLIENTS_REQUIREMENTS="$TATAMI_ROOT/scripts/requirements-clients.txt"
readonly CLIENTS_STAMP="$TATAMI_ENV/clients.stamp"

# find_clients_python: sets CLIENTS_PYTHON and CLIENTS_PYTHON_VERSION, or says in CLIENTS_PROBLEM why it could not. The
# Python that the ROS environment is made with is the first choice.
find_clients_python() {
  local command facts candidates problems=()
  candidates=("${BASE_PYTHON:-python3}" python3.12 python3.11 python3.10)
  [[ -z "${TATAMI_CLIENTS_PYTHON:-}" ]] || candidates=("$TATAMI_CLIENTS_PYTHON")
  for command in "${candidates[@]}"; do
    command -v "$command" >/dev/null || continue
    if facts="$(_ROS_WHEELS_BOOTSTRAP_COMPLETE=1 python_facts "$command" 12 2>&1)"; then
      IFS=$'\t' read -r CLIENTS_PYTHON CLIENTS_PYTHON_VERSION _ <<<"$facts"
      return 0
    fi
    problems+=("$command $(tail -n 1 <<<"$facts")")
  done
  CLIENTS_PROBLEM="$(printf '%s; ' "${problems[@]}")"
  CLIENTS_PROBLEM="${CLIENTS_PROBLEM%; }"
  [[ -n "$CLIENTS_PROBLEM" ]] || CLIENTS_PROBLEM="none found on PATH"
  return 1
}

# make_clients_environment: makes .ros/clients anew unless it is there for the same packages and the same Python. Where no
# Python fits, it says so and leaves none: that fails the tests which need it, and nothing else.
make_clients_environment() {
  local key
  if ! find_clients_python; then
    rm -rf "$CLIENTS_STAMP" "$CLIENTS_VENV"
    say "the tests with real clients can't run: they need CPython 3.10 to 3.12 with venv" \
      "(TATAMI_CLIENTS_PYTHON=... names one): $CLIENTS_PROBLEM"
    return
  fi
  key="$({ cat "$CLIENTS_REQUIREMENTS" && printf '%s\n' "$CLIENTS_VENV" "$CLIENTS_PYTHON" "$CLIENTS_PYTHON_VERSION"; } |
    hash_of_input)"
  ! stamp_is "$CLIENTS_STAMP" "$key" || return 0
  say "making an environment for the real clients in .ros/clients with Python $CLIENTS_PYTHON_VERSION (once, half a minute)"
  rm -rf "$CLIENTS_STAMP" "$CLIENTS_VENV"
  env -u PYTHONHOME -u PYTHONPATH "$CLIENTS_PYTHON" -m venv "$CLIENTS_VENV"
  run_logged "$TATAMI_ENV/log/pip-clients.log" "installing Python packages: clients" \
    env -u PYTHONHOME -u PYTHONPATH "$CLIENTS_VENV/bin/python3" -m pip --disable-pip-version-check --no-input \
    install --no-deps --only-binary :all: --no-warn-script-location -r "$CLIENTS_REQUIREMENTS"
  printf '%s' "$key" >"$CLIENTS_STAMP"
}
