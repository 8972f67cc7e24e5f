/**
 * A network of processes on one machine: a data directory for each node, and a script that starts all nodes.
 */
import { bareHex } from "../bytes/hex.ts";
import { listJson, type NetworkFile, openFile, secretFile } from "./files.ts";
import { type MadeNetwork, type MadeNode, type NodeKind, peersOf, urlOf } from "./network.ts";

/** First ports for peers, HTTP and WebSocket. */
export interface Ports {
  readonly peers: number;
  readonly http: number;
  readonly ws: number;
}

/** Node types of the command line by kind of node. */
export const TYPES: Readonly<Record<NodeKind, string>> = { cn: "core", pn: "proxy", en: "endpoint" };

/** Returns the initial files of a node's data directory. */
export function dataFiles(
  { nodes }: MadeNetwork,
  hostAndPort: (node: MadeNode) => [string, number],
): NetworkFile[] {
  return nodes.flatMap((node) => {
    const urls = peersOf(node, nodes).map((peer) => {
      const [host, port] = hostAndPort(peer);
      return urlOf(peer, { host, port });
    });
    return [
      secretFile(`data/${node.name}/nodekey`, bareHex(node.key)),
      openFile(`data/${node.name}/static-nodes.json`, listJson(urls)),
    ];
  });
}

/** Returns the data directories and the script. HTTP and WebSocket ports of nodes are two apart. */
export function localFiles(network: MadeNetwork, ports: Ports): readonly NetworkFile[] {
  const data = dataFiles(network, (node) => ["127.0.0.1", ports.peers + node.place]);
  const starts = network.nodes.map(
    ({ name, kind, place }) =>
      `start ${name} ${TYPES[kind]} ${ports.peers + place} ${ports.http + 2 * place} ${ports.ws + 2 * place}`,
  );
  const script = `#!/bin/sh
# Starts the network and stops it on Ctrl-C. A node's chain is in data/NAME, its log in data/NAME.log.
# KNIT is the program, knit unless it is set.
set -eu
cd "$(dirname "$0")"
KNIT=\${KNIT:-knit}
APIS=chain,eth,klay,net,web3,txpool
nodes=

stop() {
  trap - EXIT INT TERM
  # shellcheck disable=SC2086 # a list
  kill $nodes 2>/dev/null || true
  wait
}

# start NAME TYPE PORT HTTP WEBSOCKET
start() {
  if ! $KNIT init --datadir "data/$1" scripts/genesis.json >"data/$1.log" 2>&1; then
    cat "data/$1.log" >&2
    exit 1
  fi
  $KNIT run --type "$2" --datadir "data/$1" --port "$3" --nodiscover \\
    --rpc --rpcport "$4" --rpcapi "$APIS" --ws --wsport "$5" --wsapi "$APIS" >>"data/$1.log" 2>&1 &
  nodes="$nodes $!"
  echo "$1: http://127.0.0.1:$4 ws://127.0.0.1:$5, log data/$1.log"
}

trap 'stop; exit 0' INT TERM
trap stop EXIT
${starts.join("\n")}
wait
`;
  return [...data, { path: "start.sh", text: script, mode: 0o755 }];
}
