# Builds the packages of msg_pkg, each into a prefix of its own below .ros/msgs whose name holds a hash of its contents.
#
# The hash is in the path because r2r generates its bindings anew only when an environment variable such as
# AMENT_PREFIX_PATH changes, not when a .msg file does. The build folder stays, so that a change compiles only what it
# touches. The packages here depend on what is installed, not on each other.
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

# needed_packages: prints the folders to build, below msg_pkg: our packages, and each stand-in the installation lacks.
needed_packages() {
  local folder
  printf '%s\n' "${OUR_PACKAGES[@]}"
  for folder in "$MESSAGE_SOURCES"/standins/*/; do
    folder="${folder%/}"
    is_installed "${folder##*/}" || printf 'standins/%s\n' "${folder##*/}"
  done
}

# installation_key: a hash of the ROS 2 that the packages are built with.
installation_key() {
  local prefix prefixes
  IFS=: read -ra prefixes <<<"$AMENT_PREFIX_PATH"
  {
    declare -f compile_package
    printf '%s\n' "$AMENT_PREFIX_PATH" "${ROS_DISTRO:-}" "$(type -P python3 || true)"
    if [[ "$MODE" == wheels ]]; then
      cat "$TATAMI_ENV/venv.stamp"
    else
      # an installation that was upgraded in place has other versions in these
      for prefix in "${prefixes[@]}"; do
        cat "$prefix"/share/{rosidl_generator_c,rosidl_typesupport_fastrtps_c,std_msgs,geometry_msgs}/package.xml \
          2>/dev/null || true
      done
    fi
  } | hash_of_input
}

# prefix_of PACKAGE SOURCE: the prefix that belongs to what lies in the folder SOURCE.
prefix_of() {
  printf '%s/%s-%s' "$MESSAGES" "$1" "$({ printf '%s' "$INSTALLATION_KEY" && hash_of_folder "$2"; } | hash_of_input)"
}

# build_messages: sets the array MESSAGE_PREFIXES, one for each package that is needed, building those not there yet.
build_messages() {
  local folders folder
  INSTALLATION_KEY="$(installation_key)"
  MESSAGE_PREFIXES=()
  mapfile -t folders < <(needed_packages)
  for folder in "${folders[@]}"; do
    build_package "${folder##*/}" "$MESSAGE_SOURCES/$folder"
  done
  remove_older_prefixes
}

# build_package PACKAGE SOURCE: appends its prefix to MESSAGE_PREFIXES, after building it if it isn't there.
build_package() {
  local package="$1" source="$2" copy="$MESSAGES/src/$1" prefix
  prefix="$(prefix_of "$package" "$source")"
  if [[ ! -f "$prefix/.complete" ]]; then
    # What is built is a copy, hashed after it was taken: somebody may be writing in msg_pkg just now.
    mirror_folder "$source" "$copy"
    prefix="$(prefix_of "$package" "$copy")"
  fi
  if [[ ! -f "$prefix/.complete" ]]; then
    rm -rf "$prefix"
    run_logged "$TATAMI_ENV/log/$package.log" "building $package (from nothing: a minute or two)" \
      compile_package "$copy" "$MESSAGES/build/$package" "$prefix"
    touch "$prefix/.complete"
  fi
  touch "$prefix"
  MESSAGE_PREFIXES+=("$prefix")
}

# mirror_folder FROM TO: makes TO equal to FROM and leaves files alone that are equal, so that their times tell what changed.
mirror_folder() {
  local from="$1" to="$2" file
  mkdir -p "$to"
  while IFS= read -r -d '' file; do
    [[ -f "$from/$file" ]] || rm -f "$to/$file"
  done < <(cd "$to" && find . -type f -print0)
  while IFS= read -r -d '' file; do
    if ! cmp -s "$from/$file" "$to/$file"; then
      mkdir -p "$(dirname "$to/$file")"
      cp "$from/$file" "$to/$file"
    fi
  done < <(cd "$from" && find . -type f -print0)
}

# compile_package SOURCE BUILD PREFIX: with cmake alone, so that no colcon is needed beside a ROS 2 that is sourced.
compile_package() {
  local source="$1" build="$2" prefix="$3" generator="Unix Makefiles"
  if ! stamp_is "$build/.installation" "$INSTALLATION_KEY"; then
    rm -rf "$build"
    mkdir -p "$build"
    printf '%s' "$INSTALLATION_KEY" >"$build/.installation"
  fi
  ! command -v ninja >/dev/null || generator=Ninja
  cmake -S "$source" -B "$build" -G "$generator" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_TESTING=OFF -DPython3_EXECUTABLE="$(type -P python3)" &&
    cmake --build "$build" --parallel "$(nproc)" &&
    cmake --install "$build"
}

# remove_older_prefixes: keeps the newest two of each package, since a server that still runs may use the one before.
remove_older_prefixes() {
  local prefix package old
  for prefix in "${MESSAGE_PREFIXES[@]}"; do
    package="${prefix##*/}"
    package="${package%-*}"
    # shellcheck disable=SC2012 # the names are ours, and ls alone sorts by time
    while IFS= read -r old; do
      rm -rf "$old"
    done < <(ls -dt "$MESSAGES/$package"-* | tail -n +3)
  done
}
