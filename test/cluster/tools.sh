#!/usr/bin/env bash
# Judges of files that are built from Go modules: promtool (alerts), actionlint (workflows). Binaries are kept in the cache by version.
#
#   tools.sh build [TOOL]    build what is missing
#   tools.sh cached TOOL     print the path of a tool; fail when it is not built
set -euo pipefail

cache=${CLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/knit-cluster}
declare -A module=([promtool]=github.com/prometheus/prometheus [actionlint]=github.com/rhysd/actionlint)
declare -A version=([promtool]=v0.316.0 [actionlint]=v1.7.12)

command -v go >/dev/null || PATH=$PATH:${GOROOT:-/usr/local/go}/bin # where its archive unpacks to

path_of() { printf '%s/%s-%s' "$cache" "$1" "${version[$1]}"; }

build() {
  local tool=$1 bin work
  bin=$(path_of "$tool")
  [ -x "$bin" ] && return
  work=$(mktemp -d)
  (
    cd "$work"
    go mod init tools
    go get "${module[$tool]}/cmd/$tool@${version[$tool]}"
    CGO_ENABLED=0 nice -n 5 go build -mod=mod -p 2 -trimpath -ldflags="-s -w" -o tool "${module[$tool]}/cmd/$tool"
  ) >&2
  mkdir -p "$cache"
  mv "$work/tool" "$bin"
  rm -rf "$work"
}

case ${1:-} in
  build) for tool in ${2:-actionlint promtool}; do build "$tool"; done ;;
  cached) bin=$(path_of "${2:?}"); [ -x "$bin" ] && printf '%s\n' "$bin" ;;
  *) sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 64 ;;
esac
