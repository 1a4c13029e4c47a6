# Builds msg_pkg into a prefix below .ros/msgs whose path holds a hash of everything that went into it.
#
# The hash is in the path because r2r generates its bindings anew only when an environment variable such as
# AMENT_PREFIX_PATH changes, not when a .msg file does.
# shellcheck shell=bash

readonly MESSAGE_SOURCES="$TATAMI_ROOT/msg_pkg"
readonly MESSAGES="$TATAMI_ENV/msgs"
readonly OUR_PACKAGES=(tatami_msgs)

# is_installed PACKAGE: whether the ROS 2 installation has it.
is_installed() {
  local prefix prefixes
  IFS=: read -ra prefixes <<<"$AMENT_PREFIX_PATH"
  for prefix in "${prefixes[@]}"; do
    [[ ! -e "$prefix/share/ament_index/resource_index/packages/$1" ]] || return 0
  done
  return 1
}

# needed_packages: prints the names of the packages to build: ours, and every stand-in that the installation lacks.
needed_packages() {
  local manifest name
  printf '%s\n' "${OUR_PACKAGES[@]}"
  for manifest in "$MESSAGE_SOURCES"/standins/*/package.xml; do
    name="$(basename "$(dirname "$manifest")")"
    is_installed "$name" || printf '%s\n' "$name"
  done
}

# folder_of PACKAGE: where it lies below a copy of msg_pkg.
folder_of() {
  if [[ -f "$MESSAGE_SOURCES/$1/package.xml" ]]; then
    printf '%s' "$1"
  else
    printf 'standins/%s' "$1"
  fi
}

# messages_key: the hash for the path: the definitions, the packages to build and the installation they are built with.
messages_key() {
  local prefix prefixes
  IFS=: read -ra prefixes <<<"$AMENT_PREFIX_PATH"
  {
    hash_of_folder "$1"
    cat "${BASH_SOURCE[0]}"
    printf '%s\n' "${PACKAGES[@]}" "$AMENT_PREFIX_PATH" "${ROS_DISTRO:-}" "$(type -P python3 || true)"
    if [[ -f "$TATAMI_ENV/venv.stamp" && "$AMENT_PREFIX_PATH" == "$TATAMI_ENV"/* ]]; then
      cat "$TATAMI_ENV/venv.stamp"
    fi
    # an upgraded installation has other versions in these
    for prefix in "${prefixes[@]}"; do
      cat "$prefix"/share/{rosidl_generator_c,rosidl_typesupport_fastrtps_c,std_msgs,geometry_msgs}/package.xml 2>/dev/null || true
    done
  } | hash_of_input
}

# build_messages: sets MESSAGES_PREFIX to a prefix with all packages that are needed, which it builds if it isn't there.
build_messages() {
  local key folder
  mapfile -t PACKAGES < <(needed_packages)
  key="$(messages_key "$MESSAGE_SOURCES")"
  if [[ ! -f "$MESSAGES/$key/stamp" ]]; then
    # What is built is a copy, hashed after it was taken: somebody may be writing in msg_pkg just now.
    rm -rf "$MESSAGES/new"
    mkdir -p "$MESSAGES/new"
    cp -R "$MESSAGE_SOURCES" "$MESSAGES/new/src"
    key="$(messages_key "$MESSAGES/new/src")"
    folder="$MESSAGES/$key"
    if [[ ! -f "$folder/stamp" ]]; then
      rm -rf "$folder"
      mv "$MESSAGES/new" "$folder"
      build_message_packages "$folder"
      touch "$folder/stamp"
    fi
  fi
  MESSAGES_PREFIX="$MESSAGES/$key/install"
  touch "$MESSAGES/$key"
  remove_older_messages
}

# build_message_packages FOLDER: FOLDER/src to FOLDER/install.
build_message_packages() {
  local folder="$1" package sources=()
  for package in "${PACKAGES[@]}"; do
    sources+=("$folder/src/$(folder_of "$package")")
  done
  rm -f "$folder"/src/standins/COLCON_IGNORE
  CMAKE_GENERATOR="$(command -v ninja >/dev/null && echo Ninja || echo 'Unix Makefiles')" \
    run_logged "$TATAMI_ENV/log/messages.log" "building the message packages ${PACKAGES[*]} (once per change, a minute or two)" \
    colcon --log-base "$folder/log" build --merge-install --paths "${sources[@]}" \
    --build-base "$folder/build" --install-base "$folder/install" \
    --event-handlers console_direct+ --cmake-args -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release
}

# remove_older_messages: keeps the newest two prefixes: a server that still runs may be using the one before.
remove_older_messages() {
  local folder
  while read -r folder; do
    rm -rf "${MESSAGES:?}/$folder"
  done < <(ls -t "$MESSAGES" | tail -n +3)
}
