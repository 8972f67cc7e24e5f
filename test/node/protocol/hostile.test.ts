/** Damaged messages of every kind in running sessions: the peer may be left, the node goes on. */
import { describe, expect, test } from "@jest/globals";
import { AuctionError } from "../../../node/auction/error.ts";
import { encodeRlpList } from "../../../node/bytes/rlp.ts";
import type { Recoverer } from "../../../node/crypto/recoverer.ts";
import type { Bid } from "../../../node/model/bid.ts";
import { createBlock } from "../../../node/model/block.ts";
import type { Header } from "../../../node/model/header.ts";
import type { BlobSidecar } from "../../../node/model/transaction-type.ts";
import type { GossipedAuction } from "../../../node/protocol/bids.ts";
import { assembleBlock, RECOVERY_BATCH, recoverSenders } from "../../../node/protocol/blocks-in.ts";
import { ProtocolError } from "../../../node/protocol/error.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { mutateRlp } from "../../support/fuzz/mutate-rlp.ts";
import { aGenesisBlock, aHeader, aValidator } from "../../support/headers.ts";
import { type PeerMessage, peerMessages } from "../../support/peer-messages.ts";
import { aNode, aTransfer, headOf, makeBlock, makeBlocks } from "../../support/protocol-node.ts";
import { aLink, connect } from "../../support/protocol-peer.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";
import { until } from "../../support/until.ts";

const sessions = Number(process.env["KNIT_MUTATIONS"] ?? 40) * 4;
const VERSION = 67;
/** A request for the header of block 0 alone. */
const LAST_QUESTION = { origin: 0n, amount: 1n, skip: 0n, reverse: false } as const;

/** An auction that takes every other bid, as if no auctioneer had signed the rest. */
function anAuction(): GossipedAuction & { readonly taken: Bid[] } {
  const taken: Bid[] = [];
  let offered = 0;
  return {
    taken,
    isRunning: true,
    add: (bid) => {
      if (offered++ % 2 === 0) throw new AuctionError("bad-signature", "a bid that nobody has signed");
      taken.push(bid);
    },
    onBid: () => () => undefined,
  };
}

test("sessions full of damaged messages end with a code or continue, and an honest peer is unaffected", async () => {
  const random = seededRandom(11);
  const sidecar: BlobSidecar = { version: 1, blobs: [], commitments: [], proofs: [] };
  const requested: Uint8Array[] = [];
  const sidecars = {
    find: (wanted: Uint8Array) => {
      requested.push(wanted);
      return sidecar;
    },
    onMissing: () => undefined,
    accept: async () => false,
  };
  const auction = anAuction();
  await using maker = await aNode({ number: 1, type: "cn", version: VERSION });
  await using node = await aNode({
    number: 2,
    timings: { requestMs: 50 },
    version: VERSION,
    auction,
    sidecars,
  });
  await makeBlocks(maker, 20);
  const block = await makeBlock(maker);
  const { header, hash } = block;
  const samples: readonly PeerMessage[] = [
    ...peerMessages(hash).filter(({ code }) => code !== messages.status.code),
    messageOf(messages.newBlock, { header, body: encodeRlpList([]), td: 22n }),
    messageOf(messages.newBlockHashes, [{ hash, number: 21 }]),
    messageOf(messages.headers, [header]),
    messageOf(messages.bodies, [encodeRlpList([aTransfer(0).raw])]),
    messageOf(messages.transactions, [aTransfer(0).raw, aTransfer(1).raw]),
  ];
  const honest = connect(node.end, maker.end);
  const ends: unknown[] = [];
  for (let i = 0; i < sessions; i++) {
    const link = aLink(node.end, { type: "pn", number: 50 + (i % 100), version: VERSION });
    const run = node.end.protocol.run(link.first).then(
      () => undefined,
      (error: unknown) => error,
    );
    const status = await link.second.next();
    if (status === undefined) throw new Error("no status came");
    link.second.send(status.code, status.payload);
    for (let sent = 0; sent < 5; sent++) {
      const { code, payload } = samples[Math.floor(random() * samples.length)] ?? { code: 0, payload: hash };
      link.second.send(code, damage(payload, random));
    }
    link.second.send(messages.headersRequest.code, messages.headersRequest.encode(LAST_QUESTION));
    await Promise.race([run, expectAnswer(link.second)]);
    link.close();
    ends.push(await run);
  }
  const errors = ends.filter((end) => end !== undefined);
  expect(errors.every((error) => error instanceof ProtocolError)).toBe(true);
  expect(errors.length).toBeGreaterThan(sessions / 4);
  expect(auction.taken.length).toBeGreaterThan(0);
  expect(requested.length).toBeGreaterThan(0);
  expect(node.protocol.peerCount()).toBe(1);
  await makeBlock(maker);
  await until(() => headOf(node) === 22);
  expect(node.open.chain.head().hash).toEqual(maker.open.chain.head().hash);
  await honest.close();
}, 60_000);

/** Resolves when the node answered the last question, and so has handled everything before. */
async function expectAnswer({ messages: all }: ReturnType<typeof aLink>["second"]): Promise<void> {
  for await (const { code, payload } of all) {
    const headers = code === messages.headers.code ? messages.headers.decode(payload) : [];
    if (headers.length === 1 && headers[0]?.number === 0) return;
  }
}

function messageOf<T>(
  { code, encode }: { readonly code: number; readonly encode: (value: T) => Uint8Array },
  value: T,
): PeerMessage {
  return { code, payload: encode(value) };
}

/** Returns a message as it is, cut off, with other bytes, or with another structure. */
function damage(bytes: Uint8Array, random: () => number): Uint8Array {
  const pick = (count: number): number => Math.floor(random() * count);
  const at = pick(bytes.length);
  const kind = random();
  if (kind < 0.3) return bytes;
  if (kind < 0.4) return bytes.subarray(0, at);
  if (kind < 0.8) return mutateRlp(bytes, pick) ?? bytes;
  const changed = Uint8Array.from(bytes);
  changed.set(randomBytes(random, Math.min(1 + pick(3), bytes.length - at)), at);
  return changed;
}

describe("a body of very many transactions", () => {
  const transactions = Array.from({ length: 3 * RECOVERY_BATCH }, (_, nonce) => aTransfer(nonce));
  const body = encodeRlpList(transactions.map(({ raw }) => raw));
  const parent = aGenesisBlock([aValidator(1)]);
  const headerOf = (gasUsed: bigint): Header => ({ ...aHeader(parent, [aValidator(1)]), gasUsed });

  test("is not looked into before its block is assembled", async () => {
    const items = new Uint8Array(50_000).fill(0xc0);
    items[items.length - 1] = 0xc1; // a list whose item is missing
    const damaged = encodeRlpList([items]);
    const [first, ...others] = messages.bodies.decode(
      messages.bodies.encode(Array.from({ length: 128 }, () => damaged)),
    );
    expect([first, others.length]).toEqual([Buffer.from(damaged), 127]);
    const pool = { get: () => undefined };
    await expect(
      assembleBlock(headerOf(10n ** 9n), first, { pause: () => undefined, pool }),
    ).rejects.toThrow();
  });

  test("is decoded as far as the gas of its header goes, one transaction between two pauses", async () => {
    let decoded = 0;
    const pieces: number[] = [];
    const pause = () => void pieces.push(decoded - pieces.length);
    const pool = { get: () => void decoded++ };
    const small = assembleBlock(headerOf(21_000n * 5n), body, { pause, pool });
    await expect(small).rejects.toMatchObject({ code: "bad-block" });
    expect([decoded, Math.max(...pieces)]).toEqual([10, 1]);
    const whole = await assembleBlock(headerOf(21_000n * BigInt(transactions.length)), body, { pause, pool });
    expect(whole.transactions).toHaveLength(transactions.length);
  });

  test("has its signers recovered in batches, between which there are pauses", async () => {
    const steps: (number | string)[] = [];
    const recover = async (jobs: readonly unknown[]): Promise<undefined[]> => {
      if (jobs.length > 0) steps.push(jobs.length);
      return jobs.map(() => undefined);
    };
    const recoverer = { recover, recoverKeys: recover } as unknown as Recoverer; // asked for nothing else
    const block = createBlock(headerOf(0n), transactions);
    await recoverSenders([block], { recoverer, chainId: 1337n, pause: () => void steps.push("pause") });
    expect(steps).toEqual([RECOVERY_BATCH, "pause", RECOVERY_BATCH, "pause", RECOVERY_BATCH]);
  });
});
