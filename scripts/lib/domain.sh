# A ROS domain of one's own, so that two runs on a machine do not meet.
# shellcheck shell=bash

# reserve_ros_domain: sets and exports ROS_DOMAIN_ID to one that no other run on this machine has reserved. The reservation
# is a lock on a file, as the Rust tests take one too, and ends with this script. Domains above 101 can clash with the ports
# that Linux gives to others.
reserve_ros_domain() {
  local domain attempt first=$((RANDOM % 101))
  for ((attempt = 0; attempt < 101; attempt++)); do
    domain=$(((first + attempt) % 101 + 1))
    if { exec 8>>"${TMPDIR:-/tmp}/tatami-test-domain-$domain.lock"; } 2>/dev/null && flock --nonblock 8; then
      export ROS_DOMAIN_ID="$domain"
      return
    fi
  done
  fail "all 101 ROS domains of this machine are reserved by test runs"
}

# stay_on_this_machine: neither multicast nor peers in the network.
stay_on_this_machine() {
  export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
  unset ROS_STATIC_PEERS ROS_LOCALHOST_ONLY ROS_DISCOVERY_SERVER
}
