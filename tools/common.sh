# Shared by tools/demo and tools/test: a virtual environment of its own, made once, with plain errors.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '\n==> %s\n' "$*"; }
fail() { printf '\n%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Sets $python to an interpreter from 3.10 on.
find_python() {
  local name
  for name in "${PYTHON:-}" python3.13 python3.12 python3.11 python3.10 python3 python; do
    [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 || continue
    if "$name" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null; then
      python=$name
      return
    fi
  done
  fail "needs Python 3.10 to 3.14, but found none. Install one, or name it: PYTHON=/path/to/python $0"
}

# need_disk GB: stops early when the disk is nearly full.
need_disk() {
  local free
  free=$(df -Pk "$root" | awk 'NR == 2 { print int($4 / 1048576) }')
  [ "$free" -ge "$1" ] || fail "needs about $1 GB of free disk beside $root, but only $free GB are free."
}

# make_environment NAME GB PACKAGE...: a virtual environment in $root/NAME with this project and packages.
make_environment() {
  local folder=$root/$1 gigabytes=$2 stamp
  shift 2
  find_python
  stamp=$("$python" -V 2>&1; echo "$*"; cat "$root/pyproject.toml" "$root/tools/constraints.txt")
  venv=$folder
  if [ -f "$folder/.stamp" ] && [ "$(cat "$folder/.stamp")" = "$stamp" ]; then
    say "Using the environment $folder (delete the folder to start afresh)"
    return
  fi
  need_disk "$gigabytes"
  say "Setting up $folder with $("$python" -V): $*"
  rm -rf "$folder"
  "$python" -m venv "$folder" || fail "could not make a virtual environment; is the venv module of Python installed?"
  local log=$folder/install.log
  if ! "$folder/bin/python" -m pip install --progress-bar off --disable-pip-version-check \
    -c "$root/tools/constraints.txt" -e "$root" "$@" >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    fail "could not install the packages. Is there a network and a package index? The whole log: $log"
  fi
  printf '%s' "$stamp" >"$folder/.stamp"
}
