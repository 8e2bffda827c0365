#!/usr/bin/env bash
# Runs a command with a Docker engine at hand: `scripts/with-docker.sh CMD...`.
#
# An engine that answers already is used as it is. Else one is installed from Debian where there is none (as root), and
# started on a private socket with state of its own. Commands that run at once share it, for two engines would share one
# bridge; with the last of them it is stopped and its state removed. The images that tests start from are made here, from
# a local root file system: nothing is pulled.
#
# `--install` instead of a command only installs, so that it can be done beside other work. `--try CMD...` runs the command
# without an engine where none can be had, for a command that says itself what it misses. `--compose` before these has
# Compose v2 and buildx put among the user's docker plugins too, where they are not here.
set -euo pipefail

packages=(docker.io busybox-static)
base_image="assay-test/base:1"
# Who holds the first decides about the engine; whoever uses it holds the second, shared.
deciding=/run/lock/assay-docker-deciding
using=/run/lock/assay-docker-engine
# The directory of the engine that runs.
running=/run/assay-docker-engine
state=""

say() { echo "with-docker: $*" >&2; }

has_engine() { docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

# Asked of several at once, `command -v` is content with one.
has_programs() { # NAME...
  local name
  for name in "$@"; do command -v "$name" >/dev/null || return 1; done
}

install_engine() {
  local lock=/run/lock/assay-docker-install
  exec 8>"$lock"
  flock -w 300 8
  if has_programs dockerd busybox docker; then return; fi
  if [[ "$(id -u)" != 0 ]] || ! command -v apt-get >/dev/null; then
    say "there is no Docker engine, and only root on Debian can have it installed here"
    return 1
  fi
  say "installing ${packages[*]}"
  # The service must not be started: the engine used here is started by hand.
  local policy=/usr/sbin/policy-rc.d log status=0
  log="$(mktemp)"
  [[ -e "$policy" ]] && policy=""
  if [[ -n "$policy" ]]; then printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"; fi
  export DEBIAN_FRONTEND=noninteractive
  apt_install >"$log" 2>&1 || { apt-get update && apt_install; } >>"$log" 2>&1 || status=$?
  [[ -z "$policy" ]] || rm -f "$policy"
  [[ "$status" == 0 ]] || { tail -n 20 "$log" >&2; }
  rm -f "$log"
  return "$status"
}

# Of a newer Debian than may be here, and unpacked only: what is installed stays as it is.
install_compose() {
  if docker compose version >/dev/null 2>&1 && docker buildx version >/dev/null 2>&1; then return; fi
  local lock=/run/lock/assay-docker-install
  exec 8>"$lock"
  flock -w 300 8
  if docker compose version >/dev/null 2>&1 && docker buildx version >/dev/null 2>&1; then return; fi
  local mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg place status=0
  mirror="$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -n 1 || true)"
  if [[ -z "$mirror" ]] || ! command -v apt-get >/dev/null; then
    say "there is no Compose v2, and only Debian can have it fetched here"
    return 1
  fi
  place="$(mktemp -d)"
  mkdir -p "$place"/{lists,cache,root}
  echo "deb [signed-by=$keyring] $mirror trixie main" >"$place/sources.list"
  say "fetching Compose v2 and buildx"
  fetch_compose "$place" >"$place/log" 2>&1 || status=$?
  [[ "$status" == 0 ]] || tail -n 20 "$place/log" >&2
  rm -rf "$place"
  return "$status"
}

fetch_compose() { # PLACE
  local plugins="${DOCKER_CONFIG:-$HOME/.docker}/cli-plugins" package
  local options=(-o "Dir::Etc::SourceList=$1/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$1/lists" -o "Dir::Cache=$1/cache")
  apt-get "${options[@]}" update || return
  (cd "$1" && apt-get "${options[@]}" download docker-compose docker-buildx) || return
  mkdir -p "$plugins"
  for package in "$1"/*.deb; do dpkg -x "$package" "$1/unpacked" || return; done
  install -m 755 "$1"/unpacked/usr/libexec/docker/cli-plugins/* "$plugins/"
}

apt_install() { apt-get install -y --no-install-recommends "${packages[@]}"; }

join_engine() {
  exec 7>"$deciding" 9>"$using"
  flock -w 300 7 && flock -s -w 10 9 || { say "it cannot be found out whether an engine runs"; return 1; }
  state="$(cat "$running" 2>/dev/null || true)"
  use_engine "$state"
  if [[ -z "$state" ]] || ! has_engine; then
    [[ -z "$state" ]] || stop_engine
    start_engine || return 1
  fi
  exec 7>&-
}

use_engine() {
  export DOCKER_HOST="unix://$1/docker.sock"
  unset DOCKER_CONTEXT
}

start_engine() {
  state="$(mktemp -d /var/tmp/assay-docker.XXXXXX)"
  echo "$state" >"$running"
  use_engine "$state"
  local options=(--data-root "$state/data" --exec-root "$state/exec" --pidfile "$state/pid" --host "$DOCKER_HOST") engine
  # An overlay cannot lie upon an overlay.
  if [[ "$(stat -f -c %T /var/tmp)" == overlayfs ]]; then options+=(--storage-driver vfs); fi
  setsid dockerd "${options[@]}" >"$state/log" 2>&1 7>&- 8>&- 9>&- &
  engine=$!
  for _ in $(seq 300); do
    if has_engine; then return; fi
    kill -0 "$engine" 2>/dev/null || break
    sleep 0.1
  done
  say "the engine does not start; it says:"
  tail -n 20 "$state/log" >&2
  return 1
}

# A root of nothing but a shell and its tools. There is no `timeout` in it: a deadline has to be kept without.
make_base_image() {
  local root
  root="$(mktemp -d)"
  command -v busybox >/dev/null || { say "the base image is made of busybox (Debian: busybox-static)"; return 1; }
  mkdir -p "$root"/{bin,dev,etc,proc,root,sys,tmp,var}
  chmod 1777 "$root/tmp"
  cp "$(command -v busybox)" "$root/bin/busybox"
  for applet in $("$root/bin/busybox" --list); do
    case "$applet" in busybox | timeout) ;; *) ln -s busybox "$root/bin/$applet" ;; esac
  done
  printf 'root:x:0:0:root:/root:/bin/sh\nagent:x:1000:1000:agent:/tmp:/bin/sh\n' >"$root/etc/passwd"
  printf 'root:x:0:\nagent:x:1000:\n' >"$root/etc/group"
  local status=0
  tar -C "$root" -c . | docker import - "$base_image" >/dev/null || status=$?
  rm -rf "$root"
  return "$status"
}

leave_engine() {
  [[ -n "$state" ]] || return 0
  exec 7>"$deciding"
  flock -w 300 7 || return 0
  # Nobody else uses it.
  if flock -n -x 9; then stop_engine; fi
}

stop_engine() {
  local engine
  engine="$(cat "$state/pid" 2>/dev/null || true)"
  if [[ -n "$engine" ]] && kill -0 "$engine" 2>/dev/null; then
    docker ps -aq 2>/dev/null | xargs -r docker rm --force --volumes >/dev/null 2>&1 || true
    kill "$engine" 2>/dev/null || true
    for _ in $(seq 150); do kill -0 "$engine" 2>/dev/null || break; sleep 0.1; done
    kill -KILL -- "-$engine" 2>/dev/null || true
  fi
  # Deepest first.
  awk -v below="$state/" 'index($2, below) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r -n 1 umount -l || true
  rm -rf "$state" || say "some of $state is left"
  rm -f "$running"
}

child=""
finish() {
  local status=$?
  trap - EXIT INT TERM HUP
  if [[ -n "$child" ]]; then
    kill -TERM "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  leave_engine
  exit "$status"
}

with_compose=0
if [[ "${1:-}" == --compose ]]; then
  with_compose=1
  shift
fi
[[ $# -gt 0 ]] || { say "usage: scripts/with-docker.sh [--compose] CMD... | --install"; exit 2; }
if [[ "$1" == --install ]]; then
  has_engine || install_engine
  [[ "$with_compose" == 0 ]] || install_compose
  exit
fi

must_have=1
if [[ "$1" == --try ]]; then
  must_have=0
  shift
fi

prepare() {
  has_engine || { install_engine && exec 8>&- && join_engine; } || return 1
  [[ "$with_compose" == 0 ]] || { install_compose && exec 8>&-; } || return 1
  docker image inspect "$base_image" >/dev/null 2>&1 || make_base_image
}

trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
if ! prepare; then
  if [[ "$must_have" == 1 ]]; then exit 1; fi
  say "going on without an engine"
fi
# In the background, so that a signal is seen at once.
"$@" 7>&- 8>&- 9>&- <&0 &
child=$!
status=0
wait "$child" || status=$?
child=""
exit "$status"
