/** A node of a network as attackers see it, whichever program it is. */
import type { NetworkNode } from "../../scripts/network/network.ts";
import { urlOf } from "../../scripts/network/plan.ts";
import type { AttackTarget } from "./attack.ts";

/** Returns the flags of the WebSocket endpoint, which the nodes of a network have not. */
export function webSocketFlags(port: number): readonly string[] {
  return ["--ws", "--wsaddr", "127.0.0.1", "--wsport", `${port}`, "--wsapi", "eth,net", "--wsorigins", "*"];
}

/** Returns a node of a network as attackers see it. */
export function targetOf(node: NetworkNode, wsPort: number): AttackTarget {
  return {
    http: node.url,
    ws: `ws://127.0.0.1:${wsPort}`,
    httpPort: node.rpcPort,
    wsPort,
    peerPort: node.port,
    kni: urlOf(node),
  };
}
