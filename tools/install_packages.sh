#!/usr/bin/env bash
# install_packages.sh [GROUP...]: installs the missing Debian packages of these groups of
# packages.txt (all groups when none is named). Asks the network only when something is missing.
set -euo pipefail
cd "$(dirname "$0")"

wanted=$(awk -v groups="$*" '
  BEGIN { count = split(groups, names, " "); for (i = 1; i <= count; ++i) chosen[names[i]] = 1 }
  { sub(/#.*/, ""); gsub(/[ \t]/, "") }
  /^\[.*\]$/ { group = substr($0, 2, length($0) - 2); next }
  $0 != "" && (count == 0 || group in chosen) && !seen[$0]++ { print }
' packages.txt)

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system: make sure that these are installed:" $wanted >&2
  exit 0
fi

missing=()
for package in $wanted; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing the missing Debian packages: ${missing[*]}" >&2
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "Neither root nor sudo: install them, then try again." >&2
    exit 1
  }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 </dev/null
