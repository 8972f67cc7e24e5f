/** Attack: peers that send every message of the chain protocol, well formed, mutated, or as large as it may be. */
import { setTimeout } from "node:timers/promises";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { integerBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp, encodeRlpList } from "../../../node/bytes/rlp.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { randomBytes, seededRandom } from "../../../test/support/random.ts";
import { ask } from "../../rpc/ask.ts";
import type { Attack } from "../attack.ts";
import { FIRST_CODE, keepPeers, meetChain } from "../peers.ts";

const PEERS = 4;
const SEED = 23;
const HASHES = 7_000;
const LARGE = 11_000_000;
/** Messages of one kind that a connection sends. */
const A_KIND = 400;

type Message = readonly [code: number, payload: Uint8Array];

/** Messages by kind; each is made once. */
function kindsOf(chainId: number, random: () => number): readonly Message[] {
  const hash = (): Uint8Array => randomBytes(random, 32);
  const hashes = Array.from({ length: HASHES }, hash);
  const { bodiesRequest, receiptsRequest, nodeDataRequest, headersRequest, bodiesFetchRequest } = messages;
  const byHash = [bodiesRequest, receiptsRequest, nodeDataRequest, bodiesFetchRequest].map(
    (row): Message => [row.code, row.encode(hashes)],
  );
  const query = { amount: 192n, skip: 0n, reverse: false };
  const announced = (number: number) => hashes.slice(0, 4_000).map((each) => ({ hash: each, number }));
  const empty = encodeRlpList([]);
  const zeros = new Uint8Array(LARGE);
  const smallItems = encodeRlp([new Uint8Array(0)]);
  const manyLists = encodeRlpList(Array.from({ length: 120_000 }, () => smallItems));
  const scalar = (): Uint8Array => Uint8Array.of(0x11, ...randomBytes(random, 31));
  const signature = encodeRlp([integerBytes(2 * chainId + 35), scalar(), scalar()]);
  return [
    ...byHash,
    [headersRequest.code, headersRequest.encode({ origin: 0n, ...query })],
    [headersRequest.code, headersRequest.encode({ origin: hash(), ...query })],
    [messages.newBlockHashes.code, messages.newBlockHashes.encode(announced(1))],
    [messages.newBlockHashes.code, messages.newBlockHashes.encode(announced(2 ** 40))],
    ...[
      messages.newBlockHashes,
      messages.transactions,
      messages.headers,
      messages.bodies,
      messages.receipts,
    ].map(({ code }): Message => [code, empty]),
    // Answers that nobody asked for, as large as they may be.
    [messages.headers.code, zeros],
    [messages.bodies.code, encodeRlpList([encodeRlpList([manyLists])])],
    [messages.receipts.code, encodeRlpList([manyLists])],
    [messages.stakingInfo.code, encodeRlp(zeros)],
    // A value transfer with more signatures than anybody reads, and many of fewer.
    [messages.transactions.code, encodeRlpList([signedBy(signature, 150_000, random)])],
    [
      messages.transactions.code,
      encodeRlpList(Array.from({ length: 100 }, () => signedBy(signature, 1_500, random))),
    ],
    [messages.consensus.code, encodeRlp([hash(), randomBytes(random, 100_000)])],
    [messages.newBlock.code, encodeRlp([[[], []], new Uint8Array(0)])],
  ];
}

/** A value transfer (type 0x08) as it stands in a message, with as many signatures as asked for. */
function signedBy(signature: Uint8Array, count: number, random: () => number): Uint8Array {
  const fields = [
    new Uint8Array(0),
    Uint8Array.of(1),
    Uint8Array.of(1),
    randomBytes(random, 20),
    Uint8Array.of(1),
    randomBytes(random, 20),
  ];
  const signatures = encodeRlpList(Array.from({ length: count }, () => signature));
  const whole = encodeRlpList([...fields.map((field) => encodeRlp(field)), signatures]);
  return concatBytes(Uint8Array.of(0x08), whole);
}

/** Hostile peers of all kinds. */
export const attack: Attack = {
  summary: `${PEERS} peers that send every message, well formed, mutated or huge; half of them never read`,
  flags: ["--maxconnections", "20"],
  watchesPeer: true,
  run: async (target, signal) => {
    const random = seededRandom(SEED);
    const chainId = Number(await ask<string>(target.http, "eth_chainId", []));
    const kinds = kindsOf(chainId, random);
    let connections = 0;
    return keepPeers(target, signal, {
      count: PEERS,
      use: async ({ transport, flood }) => {
        await meetChain(transport);
        transport.socket.removeAllListeners("readable");
        if (connections++ % 2 === 0) transport.socket.pause();
        else transport.socket.resume();
        let sent = 0;
        let kind = kinds[0] as Message;
        const next = (): Message => {
          if (sent++ % A_KIND === 0) kind = kinds[Math.floor(random() * kinds.length)] as Message;
          const [code, payload] = kind;
          return [FIRST_CODE + code, random() < 0.01 ? mutatePayload(payload, random) : payload];
        };
        await Promise.race([flood(next), setTimeout(10_000, undefined, { signal })]);
      },
    });
  },
};

/** A copy with one byte changed. */
function mutatePayload(payload: Uint8Array, random: () => number): Uint8Array {
  const copy = payload.slice();
  if (copy.length > 0) copy[Math.floor(random() * copy.length)] = Math.floor(random() * 256);
  return copy;
}
