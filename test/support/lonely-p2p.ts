/** The network side of a node that never listens and knows nobody. */

import { bareHex } from "../../node/bytes/hex.ts";
import { nodeKeyOf } from "../../node/p2p/node-key.ts";
import type { NodeRegistryDeps } from "../../node/rpc/node-registry.ts";

const { id } = nodeKeyOf(new Uint8Array(32).fill(7));

export const lonelyP2p: NodeRegistryDeps["p2p"] = {
  self: {
    id: bareHex(id),
    name: "Klaytn/knit/v0.1.0/linux-x64/go1.0",
    type: "en",
    url: { id, host: "::", tcpPort: 0, udpPort: 0, tcpPorts: [0], type: "unknown" },
    ip: "::",
    ports: { discovery: 0, listener: 0 },
    listenAddr: "[::]:0",
  },
  listening: false,
  peers: () => [],
  addPeer: () => false,
  removePeer: () => false,
  countByType: () => ({ total: 0 }),
  onPeerEvent: () => () => undefined,
};
