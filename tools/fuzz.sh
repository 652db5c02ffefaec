#!/usr/bin/env bash
# fuzz.sh TARGET|all SECONDS: runs fuzz targets built by the fuzz preset, one after the other.
# New inputs go to build/fuzz/corpus/NAME; the project's corpus is only read.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:-all}
seconds=${2:-60}
bin=build/fuzz/tests/fuzz

if [ "$target" = all ]; then
  names=$(find "$bin" -maxdepth 1 -type f -executable -name 'fuzz_*' -printf '%f\n' | sort)
else
  names=fuzz_${target#fuzz_}
fi
[ -n "$names" ] || { echo "No fuzz target is built." >&2; exit 1; }

for name in $names; do
  [ -x "$bin/$name" ] || {
    echo "No fuzz target $name. There are:" >&2
    find "$bin" -maxdepth 1 -type f -executable -name 'fuzz_*' -printf '  %f\n' | sort >&2
    exit 1
  }
  kept=build/fuzz/corpus/${name#fuzz_}
  shipped=tests/fuzz/corpus/${name#fuzz_}
  # A world runs the whole program a dozen times, with sanitizers.
  timeout=10
  [ "$name" = fuzz_world ] && timeout=120
  mkdir -p "$kept"
  echo "== $name for $seconds s"
  ASAN_SYMBOLIZER_PATH=$(command -v llvm-symbolizer-16 || true) UBSAN_OPTIONS=print_stacktrace=1 "$bin/$name" \
    -max_total_time="$seconds" -timeout="$timeout" -rss_limit_mb=2048 -max_len=65536 \
    -print_final_stats=1 -print_funcs=0 -verbosity=0 -artifact_prefix="build/fuzz/$name-" \
    "$kept" $([ -d "$shipped" ] && echo "$shipped")
done
