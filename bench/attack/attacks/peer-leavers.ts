/** Attack: peers that send one long message of transactions with very many signatures and leave. */
import { setTimeout } from "node:timers/promises";
import { encodeRlpList } from "../../../node/bytes/rlp.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { seededRandom } from "../../../test/support/random.ts";
import { ask } from "../../rpc/ask.ts";
import type { Attack } from "../attack.ts";
import { signatureOf, signedBy } from "../hostile-messages.ts";
import { FIRST_CODE, keepPeers, meetChain } from "../peers.ts";

const PEERS = 4;
/** As many as a message holds. */
const SIGNATURES = 1_850;
const TRANSACTIONS = 90;
const SEED = 23;
/** Until the node has the message. */
const STAY_MS = 250;

/** Messages that take seconds to handle, of peers that are gone by then. */
export const attack: Attack = {
  summary: `${PEERS} peers that send ${TRANSACTIONS} transactions of ${SIGNATURES} signatures each, leave, and return as others`,
  watchesPeer: true,
  run: async (target, signal) => {
    const random = seededRandom(SEED);
    const signature = signatureOf(Number(await ask<string>(target.http, "eth_chainId", [])), random);
    const payload = encodeRlpList(
      Array.from({ length: TRANSACTIONS }, () => signedBy(signature, SIGNATURES, random)),
    );
    return keepPeers(target, signal, {
      count: PEERS,
      use: async ({ transport }) => {
        await meetChain(transport);
        await new Promise<void>((resolve) => {
          transport.write({ code: FIRST_CODE + messages.transactions.code, payload }, resolve);
          transport.socket.once("close", () => resolve());
        });
        await setTimeout(STAY_MS);
      },
    });
  },
};
