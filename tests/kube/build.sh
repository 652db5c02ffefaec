#!/usr/bin/env bash
# build.sh [--check] [NAME...]: builds a real control plane for the tests from source, through Go's module proxy: etcd,
# kube-apiserver, kube-controller-manager, kwok and kubectl, and helm, which has a go.mod of its own, unless names are given
# (kube-scheduler, ...). KUBE_VERSION chooses the folder whose go.mod pins the versions: 1.37 (default) or 1.36.
# Prints the folder of the programs, one for each version, below TRELLIS_KUBE, else below build/kube. What is already built from
# the same inputs is left as it is, and Go is not even looked for. --check builds nothing: exit 1 when something is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=v${KUBE_VERSION:-1.37}
pins=$here/$version
bin=${TRELLIS_KUBE:-$here/../../build/kube}/$version
[ -f "$pins/go.mod" ] || { echo "build.sh: no $pins/go.mod; KUBE_VERSION is 1.36 or 1.37" >&2; exit 2; }
check=
[ "${1:-}" != --check ] || { check=1; shift; }
[ $# -gt 0 ] || set -- etcd kube-apiserver kube-controller-manager kwok kubectl helm

version_of() { awk -v module="$1" '$1 == module && $2 ~ /^v/ { print $2; exit }' "$pins/go.mod"; }
kube=$(version_of k8s.io/kubernetes)

package_of() {
  case "$1" in
    etcd) echo go.etcd.io/etcd/server/v3 ;;
    helm) echo helm.sh/helm/v3/cmd/helm ;;
    kwok) echo sigs.k8s.io/kwok/cmd/kwok ;;
    kubectl | kube-*) echo "k8s.io/kubernetes/cmd/$1" ;;
    *) echo "build.sh: no program $1" >&2; return 1 ;;
  esac
}

# Helm has requirements of its own: the modules of the newest version, whichever is tested.
module_of() { [ "$1" != helm ] && echo "$pins" || echo "$here/helm"; }
key_of() {
  local module
  module=$(module_of "$1")
  cat "$module/go.mod" "$module/go.sum" "$here/build.sh" | sha256sum | cut -c1-16
}

missing=()
for name; do
  [ -x "$bin/$name" ] && [ "$(cat "$bin/.$name.key" 2>/dev/null)" = "$(key_of "$name")" ] || missing+=("$name")
done
if [ ${#missing[@]} -gt 0 ]; then
  [ -z "$check" ] || exit 1
  wanted=$(awk '$1 == "go" { print $2 }' "$pins/go.mod")
  found=$(go env GOVERSION 2>/dev/null || true)
  # From 1.21 on Go itself says what it lacks, and fetches a newer one where GOTOOLCHAIN lets it.
  if ! [[ $found =~ ^go1\.([0-9]+) ]] || [ "${BASH_REMATCH[1]}" -lt 21 ]; then
    echo "The tests against a real API server need Go $wanted in the PATH; found: ${found:-none}." >&2
    echo "Debian 12's package golang-go is too old. https://go.dev/doc/install says how to get it." >&2
    exit 1
  fi
fi

# Without the stamp the API server calls itself v0.0.0-master+$Format:%H$, which clients cannot parse.
IFS=. read -r major minor _ <<<"${kube#v}"
stamp=k8s.io/component-base/version
flags="-s -w -X $stamp.gitVersion=$kube -X $stamp.gitMajor=$major -X $stamp.gitMinor=$minor"
flags+=" -X $stamp.gitTreeState=clean -X $stamp.buildDate=1970-01-01T00:00:00Z"
# Helm renders for this version where no server is asked.
flags+=" -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=$major -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=$minor"
export CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off

mkdir -p "$bin"
bin=$(cd "$bin" && pwd)
for name in "${missing[@]}"; do
  package=$(package_of "$name")
  echo "Building $name; the first one takes minutes" >&2
  (cd "$(module_of "$name")" && go build -buildvcs=false -trimpath -ldflags "$flags" -o "$bin/$name" "$package") >&2
  if [ "$name" = kwok ]; then # it ends without stages; its module holds some
    stages=$(cd "$pins" && go list -m -f '{{.Dir}}' sigs.k8s.io/kwok)/kustomize/stage
    for file in "$stages"/node/fast/node-*.yaml "$stages"/pod/fast/pod-*.yaml; do
      echo ---
      cat "$file"
    done >"$bin/kwok-stages.yaml"
  fi
  key_of "$name" >"$bin/.$name.key"
done
echo "$bin"
