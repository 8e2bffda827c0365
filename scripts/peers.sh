#!/usr/bin/env bash
# Makes the Python tools that some runners drive: `scripts/peers.sh [harbor] [gym] [fabric]` (all of them by default).
#
# Each gets a virtual environment of its own in .cache/peers/<tool>, made with the newest interpreter here that it runs
# on, and the version that the tests were written for. Nothing is done where that is there already. The path of each
# environment is printed, one per line, in the order asked for; all else goes to stderr. Exit 3, with the reason, when no
# interpreter fits or the package cannot be installed; 2 for a tool of another name.
set -euo pipefail

root="$(cd "$(dirname "$0")/.." && pwd)"
store="${ASSAY_PEERS:-$root/.cache/peers}"

say() { echo "peers: $*" >&2; }

# Oldest Python and the first too new one (or -), the program that shows that it is there, then what pip installs. Gym has
# uv make an environment for each of its servers, and looks for it beside itself first.
recipe() {
  case "$1" in
    harbor) echo "3.12 - harbor harbor==0.26.0" ;;
    gym) echo "3.12 - uv nemo-gym==0.4.0 uv==0.13.8" ;;
    fabric) echo "3.11 - fabric-agent-ctl nemo-fabric[codex]==0.5.0" ;;
    *) say "no tool is named $1; there are harbor, gym and fabric"; return 2 ;;
  esac
}

# Every interpreter here, newest first: "3.13.0 /path/to/python3".
interpreters() {
  {
    if command -v pyenv >/dev/null; then ls -d "$(pyenv root)"/versions/*/bin/python3 2>/dev/null || true; fi
    compgen -c python3 | grep -E '^python3(\.[0-9]+)?$' | sort -u | while read -r name; do command -v "$name" || true; done
  } | while read -r python; do
    "$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3], sys.executable)' 2>/dev/null || true
  done | sort -t' ' -k1,1Vr -u
}

at_least() { [[ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" == "$2" ]]; }

choose() { # OLDEST TOO_NEW
  local version python
  while read -r version python; do
    at_least "$version" "$1" || continue
    [[ "$2" == - ]] || ! at_least "$version" "$2" || continue
    echo "$python"
    return
  done < <(interpreters)
}

make_peer() { # NAME OLDEST TOO_NEW PROGRAM PACKAGE...
  local name="$1" program="$4" package="${*:5}" place="$store/$1" python log
  exec 8>"$store/$name.lock"
  flock 8
  if [[ "$(cat "$place/assay-stamp" 2>/dev/null)" == "$package" && -x "$place/bin/$program" ]]; then
    echo "$place"
    return
  fi
  python="$(choose "$2" "$3")"
  if [[ -z "$python" ]]; then
    local limit=""
    [[ "$3" == - ]] || limit=" and older than $3"
    say "$package needs Python $2 or newer$limit; here are: $(interpreters | cut -d' ' -f1 | paste -sd' ')"
    return 3
  fi
  say "installing $package with $python"
  log="$(mktemp)"
  rm -rf "$place"
  if ! { "$python" -m venv "$place" && "$place/bin/python" -m pip install --quiet --disable-pip-version-check "${@:5}"; } >"$log" 2>&1; then
    say "$package cannot be installed; the end of what was said:"
    tail -n 5 "$log" >&2
    rm -rf "$place" "$log"
    return 3
  fi
  rm -f "$log"
  [[ -x "$place/bin/$program" ]] || { say "$package has no program $program"; return 3; }
  echo "$package" >"$place/assay-stamp"
  echo "$place"
}

names=("$@")
[[ $# -gt 0 ]] || names=(harbor gym fabric)
mkdir -p "$store"
status=0
for name in "${names[@]}"; do
  line="$(recipe "$name")" || exit 2
  read -ra words <<<"$line"
  make_peer "$name" "${words[@]}" || status=$?
done
exit "$status"
