#!/usr/bin/env bash
# format.sh [--fix]: checks that clang-format would change nothing, or formats in place.
set -euo pipefail
cd "$(dirname "$0")/../.."

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  list() { git ls-files -z -- '*.h' '*.cc'; }
else
  list() { find . -name build -prune -o \( -name '*.h' -o -name '*.cc' \) -print0; }
fi
# A file that is tracked but just deleted is no finding.
mapfile -d '' -t files < <(list | while IFS= read -r -d '' file; do
  [ -f "$file" ] && printf '%s\0' "$file"
done)
[ ${#files[@]} -eq 0 ] && exit 0

if [ "${1:-}" = --fix ]; then
  clang-format-16 -i "${files[@]}"
elif ! printf '%s\0' "${files[@]}" |
    xargs -0 -n 16 -P "$(nproc)" clang-format-16 --dry-run -Werror --ferror-limit=3; then
  echo "format: run 'make format'" >&2
  exit 1
else
  echo "format: ${#files[@]} files"
fi
