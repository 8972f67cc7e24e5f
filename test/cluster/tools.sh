#!/usr/bin/env bash
# Judges of files that are built from Go modules: promtool (alerts), actionlint (workflows), kubeconform (manifests),
# operator-verify (the bundle). `schemas` are the files of the modules by which kubeconform judges. versitygw is an S3
# server for archives and backups. Two are built when they are asked for: prometheus, which fires the alerts on faults of
# a network, and `snapshots`, the definitions of the kinds of snapshots. All are kept in the cache by version.
#
#   tools.sh build [TOOL]    build what is missing
#   tools.sh cached TOOL     print the path of a tool; fail when it is not built
set -euo pipefail

cache=${CLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/knit-cluster}
declare -A module=(
  [promtool]=github.com/prometheus/prometheus
  [prometheus]=github.com/prometheus/prometheus
  [actionlint]=github.com/rhysd/actionlint
  [kubeconform]=github.com/yannh/kubeconform
  [operator-verify]=github.com/operator-framework/api
  [versitygw]=github.com/versity/versitygw
)
declare -A version=([promtool]=v0.316.0 [prometheus]=v0.316.0 [actionlint]=v1.7.12 [kubeconform]=v0.8.0 [operator-verify]=v0.34.0 [versitygw]=v1.8.0 [schemas]=1 [snapshots]=1)
# Of the discovery of targets Prometheus and promtool keep that of Kubernetes: the clouds' take most of the building.
tags=remove_all_sd,enable_kubernetes_sd
# Sources of schemas: Kubernetes as in go.mod, and the kinds that clusters with the Gateway API or the Prometheus Operator have.
gateway_api=sigs.k8s.io/gateway-api@v1.4.0
prometheus_operator=github.com/prometheus-operator/prometheus-operator@v0.85.0
snapshotter=github.com/kubernetes-csi/external-snapshotter/client/v8@v8.4.0

command -v go >/dev/null || PATH=$PATH:${GOROOT:-/usr/local/go}/bin # where its archive unpacks to

path_of() { printf '%s/%s-%s' "$cache" "$1" "${version[$1]}"; }

build() {
  local tool=$1 result work
  result=$(path_of "$tool")
  [ -e "$result" ] && return
  work=$(mktemp -d)
  case $tool in
    schemas) copy_schemas "$work/tool" ;;
    snapshots) cat "$(directory_of "$snapshotter")"/config/crd/snapshot.storage.k8s.io_*.yaml >"$work/tool" ;;
    *) compile "$tool" "$work" ;;
  esac >&2
  mkdir -p "$cache"
  mv "$work/tool" "$result"
  rm -rf "$work"
}

compile() {
  local tool=$1 work=$2
  (
    cd "$work"
    go mod init tools
    go get "${module[$tool]}/cmd/$tool@${version[$tool]}"
    CGO_ENABLED=0 nice -n 5 go build -mod=mod -p 2 -trimpath -tags="$tags" -ldflags="-s -w" -o tool "${module[$tool]}/cmd/$tool"
  )
}

copy_schemas() {
  local target=$1 kubernetes
  kubernetes=k8s.io/kubernetes@$(awk '$1 == "k8s.io/kubernetes" {print $2; exit}' "$(dirname "${BASH_SOURCE[0]}")/go.mod")
  mkdir -p "$target"
  cp "$(directory_of "$kubernetes")"/api/openapi-spec/v3/{api__v1,apis__apps__v1,apis__batch__v1,apis__networking.k8s.io__v1,apis__policy__v1,apis__rbac.authorization.k8s.io__v1,apis__autoscaling__v2,apis__apiextensions.k8s.io__v1}_openapi.json "$target"
  cp "$(directory_of "$gateway_api")"/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml "$target"
  cp "$(directory_of "$prometheus_operator")"/example/prometheus-operator-crd/monitoring.coreos.com_{podmonitors,prometheusrules,servicemonitors}.yaml "$target"
  chmod -R u+w "$target"
}

# Downloads a module and prints its directory.
directory_of() { GOFLAGS=-mod=mod go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p'; }

case ${1:-} in
  build) for tool in ${2:-actionlint promtool kubeconform operator-verify schemas versitygw}; do build "$tool"; done ;;
  cached) result=$(path_of "${2:?}"); [ -e "$result" ] && printf '%s\n' "$result" ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 64 ;;
esac
