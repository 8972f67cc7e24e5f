/** Attack: peers that send every message of the chain protocol, well formed, mutated, or as large as it may be. */
import { setTimeout } from "node:timers/promises";
import { seededRandom } from "../../../test/support/random.ts";
import { ask } from "../../rpc/ask.ts";
import type { Attack } from "../attack.ts";
import { type HostileMessage, hostileMessages, perhapsMutated } from "../hostile-messages.ts";
import { FIRST_CODE, keepPeers, meetChain } from "../peers.ts";

const PEERS = 4;
const SEED = 23;
/** Messages of one kind that a connection sends. */
const A_KIND = 400;

/** Hostile peers of all kinds. */
export const attack: Attack = {
  summary: `${PEERS} peers that send every message, well formed, mutated or huge; half of them never read`,
  flags: ["--maxconnections", "20"],
  watchesPeer: true,
  run: async (target, signal) => {
    const random = seededRandom(SEED);
    const chainId = Number(await ask<string>(target.http, "eth_chainId", []));
    const kinds = hostileMessages(chainId, random);
    let connections = 0;
    return keepPeers(target, signal, {
      count: PEERS,
      use: async ({ transport, flood }) => {
        await meetChain(transport);
        transport.socket.removeAllListeners("readable");
        if (connections++ % 2 === 0) transport.socket.pause();
        else transport.socket.resume();
        let sent = 0;
        let kind = kinds[0] as HostileMessage;
        const next = (): HostileMessage => {
          if (sent++ % A_KIND === 0) kind = kinds[Math.floor(random() * kinds.length)] as HostileMessage;
          const [code, payload] = perhapsMutated(kind, random);
          return [FIRST_CODE + code, payload];
        };
        await Promise.race([flood(next), setTimeout(10_000, undefined, { signal })]);
      },
    });
  },
};
