#!/bin/bash
# The acceptance lines of all issues: one script for each in tools/acceptance/, each less than nine minutes.
#   tools/acceptance.sh                 all parts that have not passed for this state of the tree
#   tools/acceptance.sh --list          the parts, and which have passed
#   tools/acceptance.sh --part NAME     one part, passed or not
#   tools/acceptance.sh --rotate HASH   one part, chosen by a hexadecimal number (a commit)
# What passed is remembered in build/acceptance/STATE/, where STATE is the commit (and a hash of the changes on top of it).
# A part runs in the project's root with TLM=build/bin/tlm and WORK=an empty folder; its second line says what it accepts.
# Exit status of a part: 0 passed, 77 cannot run on this machine (the reason on stdout), other: failed.
set -u
cd "$(dirname "$0")/.." || exit 5

limit_seconds=540

mapfile -t parts < <(for f in tools/acceptance/*.sh; do [ -f "$f" ] && basename "$f" .sh; done)
if [ ${#parts[@]} -eq 0 ]; then
  echo "acceptance: no parts in tools/acceptance/" >&2
  exit 5
fi

state=$(git rev-parse --short=12 HEAD 2>/dev/null || echo "no-commit")
changes=$(git status --porcelain 2>/dev/null)
if [ -n "$changes" ]; then
  # Untracked files count by name and contents.
  digest=$({ git diff HEAD; git ls-files -z --others --exclude-standard | xargs -0 -r sha256sum; } | sha256sum | cut -c1-12)
  state="$state-$digest"
fi
passed="build/acceptance/$state"
mkdir -p "$passed"

build() {
  tools/setup.sh --tests || return
  local launcher=()
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  cmake --preset release -DTLM_TESTS=ON "${launcher[@]}" -Wno-dev >/dev/null && cmake --build --preset release
}

# Runs part $1; 0: passed or not possible here.
run_part() {
  local name=$1 start=$SECONDS status
  local work="build/acceptance/work/$name"
  rm -rf "$work"
  mkdir -p "$work"
  echo "== $name: $(sed -n '2s/^# *//p' "tools/acceptance/$name.sh")"
  TLM="$PWD/build/bin/tlm" WORK="$PWD/$work" timeout --kill-after=10 $limit_seconds bash "tools/acceptance/$name.sh"
  status=$?
  case $status in
    0)
      touch "$passed/$name"
      rm -rf "$work"
      echo "-- $name: passed in $((SECONDS - start)) s"
      ;;
    77) echo "-- $name: skipped on this machine"; status=0 ;;
    124 | 137) echo "-- $name: FAILED: longer than $limit_seconds s" ;;
    *) echo "-- $name: FAILED with status $status after $((SECONDS - start)) s; its files: $work" ;;
  esac
  return $status
}

case "${1:-}" in
  --list)
    for name in "${parts[@]}"; do
      mark=" "
      [ -f "$passed/$name" ] && mark="passed"
      printf '%-40s %-7s %s\n' "$name" "$mark" "$(sed -n '2s/^# *//p' "tools/acceptance/$name.sh")"
    done
    exit 0
    ;;
  --part)
    name=${2:?acceptance: --part needs a name}
    if [ ! -f "tools/acceptance/$name.sh" ]; then
      echo "acceptance: no part '$name' (see --list)" >&2
      exit 2
    fi
    build || exit 5
    run_part "$name"
    exit
    ;;
  --rotate)
    hash=${2:?acceptance: --rotate needs a hexadecimal number}
    if ! [[ $hash =~ ^[0-9a-fA-F]{4,}$ ]]; then
      echo "acceptance: '$hash' is not a hexadecimal number of four digits or more" >&2
      exit 2
    fi
    build || exit 5
    run_part "${parts[$((16#${hash:0:8} % ${#parts[@]}))]}"
    exit
    ;;
  "") ;;
  *)
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

build || exit 5
failed=()
for name in "${parts[@]}"; do
  if [ -f "$passed/$name" ]; then
    echo "-- $name: passed before"
  else
    run_part "$name" || failed+=("$name")
  fi
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "acceptance: FAILED: ${failed[*]}"
  exit 1
fi
echo "acceptance: all ${#parts[@]} parts passed or skipped"
