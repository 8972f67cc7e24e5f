/**
 * A node in a process of its own, to be attacked: it echoes `chat` messages. Its parent gets its id and port, and
 * for each message `memory` the bytes that are in use after a collection, its peers, and how many sessions there were.
 */
import { aChat, openNode, QUICK } from "./p2p.ts";

let sessions = 0;
const chat = aChat({
  async run(peer) {
    sessions++;
    for await (const { code, payload } of peer.messages) peer.send(code, payload);
  },
});
const node = await openNode("target", {
  protocols: [chat.protocol],
  maxPeers: 100,
  timings: { ...QUICK, handshakeMs: 2000, disconnectMs: 200 },
});
process.on("message", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ memory: heapUsed + external, peers: node.peers().length, sessions });
});
process.on("disconnect", () => process.exit());
process.send?.({ id: node.self.id, port: node.self.ports.listener });
