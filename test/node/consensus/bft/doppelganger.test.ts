/** Two nodes with one key: the engine of one of them, which hears the other by messages or by blocks. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { mapKey } from "../../../../node/bytes/hex.ts";
import { settleDamage, UNKNOWN_SIGNER } from "../../../../node/chain/continuity.ts";
import {
  Doppelganger,
  type DoppelgangerOptions,
  readSigner,
} from "../../../../node/consensus/bft/doppelganger.ts";
import type { Engine } from "../../../../node/consensus/bft/engine.ts";
import type { VotePayload } from "../../../../node/consensus/bft/message.ts";
import { NO_DIGEST } from "../../../../node/consensus/bft/rounds.ts";
import { createMessageSigner, readMessage } from "../../../../node/consensus/bft/signed-message.ts";
import { readRecord } from "../../../../node/consensus/bft/signing-record.ts";
import type { ConsensusPeers, EnvelopeListener } from "../../../../node/consensus/consensus-peers.ts";
import { sign } from "../../../../node/crypto/secp256k1.ts";
import { sortedValidators } from "../../../../node/governance/validators.ts";
import type { Block } from "../../../../node/model/block.ts";
import { silentLog } from "../../../../node/observe/log.ts";
import type { Batch, Store } from "../../../../node/store/store.ts";
import { councilGenesis, Hub, type Seat, seats } from "../../../support/bft/council.ts";
import { aChain, type TestChain } from "../../../support/chain.ts";
import { growChain, openMaker, quickClock } from "../../../support/sealed-chain.ts";
import { until } from "../../../support/until.ts";

let ends = new AsyncDisposableStack();
afterEach(async () => {
  await ends.disposeAsync();
  ends = new AsyncDisposableStack();
});

const LONG: DoppelgangerOptions = { listenMs: 600_000, clear: undefined };
const SHORT: DoppelgangerOptions = { listenMs: 20, clear: undefined };

/** A council of four whose first member proposes block 1 in round 0; `shift` more for a later block. */
function council4(shift = 0): readonly Seat[] {
  const order = sortedValidators(seats(4).map(({ address }) => address)).map(mapKey);
  const place = ({ address }: Seat): number => (order.indexOf(mapKey(address)) + 7 - shift) % 4;
  return seats(4).toSorted((a, b) => place(a) - place(b));
}

/** Peers whose messages the test writes, and what the node sent to them. */
function scriptedPeers(others: readonly Seat[]) {
  const listeners = new Set<EnvelopeListener>();
  const sent: Uint8Array[] = [];
  const [first] = others as [Seat];
  const peers: ConsensusPeers = {
    connectedAddresses: () => others.map(({ address }) => address),
    send: (_to, { message }) => sent.push(message) > 0,
    noteVote: () => undefined,
    onMessage(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const tell = (...messages: readonly Uint8Array[]): void => {
    for (const message of messages)
      for (const listener of listeners)
        listener(first.address, { previousHash: new Uint8Array(32), message });
  };
  return { peers, sent, tell, isConnected: () => listeners.size > 0 };
}

/** The first of a council on its chain, with scripted peers; `start` may be called again after the engine's end. */
async function aValidator(council = council4(), clock = quickClock(councilGenesis(council))) {
  const [seat, ...others] = council as [Seat, Seat];
  const open = ends.use(await aChain(councilGenesis(council)));
  const network = scriptedPeers(others);
  const logged: { readonly id?: string }[] = [];
  const log = { ...silentLog, error: (fields: object) => void logged.push(fields) };
  const start = async (doppelganger: DoppelgangerOptions, minHeight = 0): Promise<Engine> => {
    const { key, address: rewardbase } = seat;
    const signing = { doppelganger, minHeight };
    const engine = ends.use(openMaker(open, { key, rewardbase, peers: network.peers, signing, log }, clock));
    await until(() => network.isConnected());
    return engine;
  };
  return { seat, open, start, logged, ...network };
}

/** A vote of a seat for height 1 or another one, on block 0 unless it says otherwise. */
function aVote({ key, address }: Seat, { genesisHash }: TestChain["chain"], more: Partial<VotePayload> = {}) {
  const view = { sequence: 1, round: 0 };
  const payload = { kind: "round-change", view, digest: NO_DIGEST, parent: mapKey(genesisHash), ...more };
  return createMessageSigner(address, (digest) => sign(digest, key))(payload as VotePayload).bytes;
}

/** Blocks of a council that agrees among itself on a chain of its own. */
async function blocksOf(
  present: readonly Seat[],
  count: number,
  council = present,
): Promise<readonly Block[]> {
  const hub = new Hub();
  const genesis = councilGenesis(council);
  const chains = await Promise.all(present.map(async () => ends.use(await aChain(genesis))));
  for (const [i, { key, address }] of present.entries())
    ends.use(
      openMaker(
        chains[i] as TestChain,
        { key, rewardbase: address, peers: hub.plug({ key, address }) },
        quickClock(genesis),
      ),
    );
  const [first] = chains as [TestChain];
  await growChain(first, count);
  return Array.from({ length: count }, (_, i) => first.chain.block(i + 1) as Block);
}

async function insert({ writer }: TestChain, blocks: readonly Block[]): Promise<void> {
  await writer.exclusively(async () => {
    for (const block of blocks) await writer.insert(block);
    await writer.settle();
  });
}

describe("a message of its own address that it did not sign", () => {
  test("stops a listening validator for good, also after a restart, until it is cleared by its id", async () => {
    const { seat, open, start, logged, sent, tell } = await aValidator();
    const engine = await start(LONG);
    expect(engine.signingState()).toBe("listening");
    tell(aVote(seat, open.chain));
    await until(() => engine.signingState() === "doppelganger");
    await engine[Symbol.asyncDispose]();
    for (const clear of [undefined, "00000000"]) {
      const again = await start({ ...SHORT, clear });
      expect(again.signingState()).toBe("doppelganger");
      await again[Symbol.asyncDispose]();
    }
    expect([sent, readRecord(open.store)]).toEqual([[], undefined]);
    const cleared = await start({ ...SHORT, clear: logged[0]?.id });
    await until(() => sent.length > 0);
    tell(aVote(seat, open.chain)); // the same one again
    await cleared[Symbol.asyncDispose]();
    const last = await start(SHORT);
    await until(() => last.signingState() === "signing");
  });

  test("stops a validator that signs: it sends nothing more", async () => {
    const { seat, open, start, sent, tell } = await aValidator();
    const engine = await start(SHORT);
    await until(() => sent.length > 0);
    tell(aVote(seat, open.chain, { kind: "commit", digest: "x".repeat(32) }));
    await until(() => engine.signingState() === "doppelganger");
    const before = sent.length;
    tell(
      ...seats(4)
        .slice(1)
        .map((other) => aVote(other, open.chain, { view: { sequence: 1, round: 2 } })),
    );
    await new Promise<void>((resolve) => void setTimeout(resolve, 50));
    expect([sent.length, engine.view()]).toEqual([before, undefined]);
  });

  test("counts for a later height as soon as its parent block is there", async () => {
    const council = council4(3); // the first is not needed for blocks 1 and 2
    const blocks = await blocksOf(council.slice(1), 2, council);
    const { seat, open, start, tell } = await aValidator(council);
    const engine = await start(LONG);
    const [first, second] = blocks as [Block, Block];
    const view = { sequence: 3, round: 0 };
    tell(aVote(seat, open.chain, { view, parent: mapKey(second.hash) }));
    await insert(open, [first]);
    expect(engine.signingState()).toBe("listening");
    await insert(open, [second]);
    await until(() => engine.signingState() === "doppelganger");
  });

  test("does not count on another chain, with a false signature, or in a height that was over at the start", async () => {
    const council = council4(3); // the first is not needed for blocks 1 and 2
    const { seat, open, start, tell } = await aValidator(council);
    const blocks = await blocksOf(council.slice(1), 2, council);
    await insert(open, blocks);
    const engine = await start(LONG);
    const onHead = { view: { sequence: 3, round: 0 }, parent: mapKey((blocks[1] as Block).hash) };
    const forged = { ...(council[1] as Seat), address: seat.address };
    tell(
      aVote(seat, open.chain, { ...onHead, parent: "y".repeat(32) }),
      aVote(forged, open.chain, onHead),
      aVote(seat, open.chain),
      aVote(seat, open.chain, { view: { sequence: 2, round: 9 }, parent: mapKey((blocks[0] as Block).hash) }),
    );
    await new Promise<void>((resolve) => void setTimeout(resolve, 50));
    expect(engine.signingState()).toBe("listening");
    tell(aVote(seat, open.chain, onHead));
    await until(() => engine.signingState() === "doppelganger");
  });
});

test("own messages that peers repeat after a restart do not stop a validator", async () => {
  const { open, start, sent, tell } = await aValidator();
  const [, ...others] = council4();
  const engine = await start(SHORT);
  await until(() => sent.length > 0);
  for (const round of [1, 2]) {
    tell(...others.map((other) => aVote(other, open.chain, { view: { sequence: 1, round } })));
    await until(() => sent.some((message) => readMessage(message).payload.view.round === round));
  }
  await engine[Symbol.asyncDispose]();
  const again = await start(LONG);
  expect(again.signingState()).toBe("signing"); // its record is not new
  await until(() => again.view() !== undefined);
  const before = sent.length;
  tell(...sent);
  tell(...others.map((other) => aVote(other, open.chain, { view: { sequence: 1, round: 3 } })));
  await until(() => sent.length > before);
  expect(again.signingState()).toBe("signing");
});

describe("blocks with seals of its own address", () => {
  test("that were made after its start stop a listening validator", async () => {
    const council = council4();
    const { open, start, sent } = await aValidator(council);
    const engine = await start(LONG);
    await insert(open, await blocksOf(council, 6));
    await until(() => engine.signingState() === "doppelganger");
    expect(sent).toEqual([]);
  });

  test("that are older than its start make it listen, and stop nothing: the volume was lost", async () => {
    const council = council4();
    const blocks = await blocksOf(council, 8);
    const genesis = councilGenesis(council);
    const later = quickClock({ ...genesis, timestamp: genesis.timestamp + 10_000 });
    const { open, start, sent } = await aValidator(council, later);
    await insert(open, blocks.slice(0, 3));
    const engine = await start(LONG);
    await insert(open, blocks.slice(3));
    expect(engine.signingState()).toBe("listening");
    await engine[Symbol.asyncDispose]();
    await start(SHORT);
    await until(() => sent.length > 0);
  });

  test("after its signing record make a copied directory listen", async () => {
    const council = council4();
    const blocks = await blocksOf(council, 8);
    const genesis = councilGenesis(council);
    const later = quickClock({ ...genesis, timestamp: genesis.timestamp + 10_000 });
    const { open, start, sent } = await aValidator(council, later);
    const engine = await start(SHORT);
    await until(() => sent.length > 0);
    await engine[Symbol.asyncDispose]();
    await insert(open, blocks);
    expect((await start(LONG)).signingState()).toBe("listening");
  });
});

test("a validator listens for a short time when others made blocks without it, and not when they stood still", async () => {
  const council = council4(3); // the first is not needed for blocks 1 to 3
  const [first, second, third] = (await blocksOf(council.slice(1), 3, council)) as [Block, Block, Block];
  const { seat, open, start, sent, tell } = await aValidator(council);
  await insert(open, [first]);
  const engine = await start(SHORT);
  await until(() => engine.view() !== undefined);
  const view = { sequence: 2, round: 2 }; // its own turn
  tell(...council.slice(1).map((other) => aVote(other, open.chain, { view, parent: mapKey(first.hash) })));
  await until(() => sent.some((message) => readMessage(message).sender === mapKey(seat.address)));
  await engine[Symbol.asyncDispose]();
  const inPlace = await start(LONG);
  expect(inPlace.signingState()).toBe("signing");
  await inPlace[Symbol.asyncDispose]();
  await insert(open, [second]);
  const still = await start(LONG);
  expect(still.signingState()).toBe("signing"); // it voted at this height
  await still[Symbol.asyncDispose]();
  await insert(open, [third]);
  expect((await start(LONG)).signingState()).toBe("listening");
});

test("four new validators at block 0 begin once they have listened", async () => {
  const council = seats(4);
  const genesis = councilGenesis(council);
  const hub = new Hub();
  const chains: TestChain[] = [];
  for (const { key, address } of council) {
    const open = ends.use(await aChain(genesis));
    chains.push(open);
    const maker = { key, rewardbase: address, peers: hub.plug({ key, address }) };
    const signing = { doppelganger: { listenMs: 100, clear: undefined }, minHeight: 0 };
    ends.use(openMaker(open, { ...maker, signing }, quickClock(genesis)));
  }
  await Promise.all(chains.map((open) => growChain(open, 3)));
});

test("a single validator does not listen, and signs nothing below its lowest height", async () => {
  const council = seats(1);
  const blocks = await blocksOf(council, 3);
  const genesis = councilGenesis(council);
  const later = quickClock({ ...genesis, timestamp: genesis.timestamp + 10_000 });
  const { open, start, logged } = await aValidator(council, later);
  const engine = await start(LONG, 3);
  expect(engine.signingState()).toBe("below-min-height");
  await insert(open, blocks.slice(0, 2));
  await new Promise<void>((resolve) => void setTimeout(resolve, 50));
  expect([open.chain.head().header.number, readRecord(open.store)]).toEqual([2, undefined]);
  expect(logged).toEqual([{ minHeight: 3 }]);
  await insert(open, blocks.slice(2));
  await growChain(open, 4);
});

test("a validator whose database was damaged listens for the full time, also with a record that reaches its head", async () => {
  const { seat, open, start, sent } = await aValidator();
  const engine = await start(SHORT);
  await until(() => sent.length > 0);
  await engine[Symbol.asyncDispose]();
  const record = readRecord(open.store);
  expect(record?.signed.view.sequence).toBe(1); // at block 0: no block is missing
  const { store, chain } = open;
  const damaged = {
    damage: "a dropped record",
    get: (key: Uint8Array) => store.get(key),
    createBatch: () => store.createBatch(),
    write: (batch: Batch, options: { readonly sync: boolean }) => store.write(batch, options),
    dismissDamage: () => Promise.resolve(),
  };
  await settleDamage(damaged as unknown as Store, 0, silentLog, () => Promise.resolve()); // it uses no more of it
  const before = sent.length;
  const listening = await start(LONG);
  expect(listening.signingState()).toBe("listening");
  expect(sent).toHaveLength(before);
  await listening[Symbol.asyncDispose]();
  expect(readRecord(store)).toEqual(record); // which binds it still
  const deps = {
    address: seat.address,
    store,
    chain,
    clock: { now: () => 0 },
    log: silentLog,
    random: () => 0,
  };
  expect(new Doppelganger(deps, LONG).beginListening()).toBe(600_000); // not the short time of a new network
  await start(SHORT);
  await until(() => mapKey(readSigner(store) ?? UNKNOWN_SIGNER) === mapKey(seat.address));
});

test("listening takes the time of the options and up to half of it more, by chance", async () => {
  const council = council4();
  const [{ address }] = council as [Seat];
  const { store, chain } = ends.use(await aChain(councilGenesis(council)));
  const listenMs = (random: number): number => {
    const deps = { address, store, chain, clock: { now: () => 0 }, log: silentLog, random: () => random };
    return new Doppelganger(deps, { listenMs: 1_000, clear: undefined }).beginListening();
  };
  expect([0, 0.5, 0.9999].map(listenMs)).toEqual([1_000, 1_250, 1_499]);
});
