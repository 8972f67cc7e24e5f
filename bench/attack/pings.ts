/** Peers that flood with messages of the base protocol before they have met the chain. */
import { BASE, EMPTY_LIST } from "../../node/p2p/base-messages.ts";
import type { AttackFigures, AttackTarget } from "./attack.ts";
import { keepPeers } from "./peers.ts";

/** Unused codes of the base protocol are ignored by every node. */
const CODES = [BASE.ping, BASE.pong, 4];

/** Floods until the signal is aborted. */
export function floodWithPings(
  target: AttackTarget,
  signal: AbortSignal,
  count: number,
): Promise<AttackFigures> {
  return keepPeers(target, signal, {
    count,
    use: ({ transport, flood }) => {
      transport.socket.removeAllListeners("readable");
      transport.socket.resume(); // answers are thrown away
      let sent = 0;
      return flood(() => [CODES[sent++ % CODES.length] ?? 0, EMPTY_LIST]);
    },
  });
}
