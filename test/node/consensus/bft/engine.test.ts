/** The engine over real chains: several validators in one process agree on blocks. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { bareHex, mapKey, toHex } from "../../../../node/bytes/hex.ts";
import type { Engine } from "../../../../node/consensus/bft/engine.ts";
import { proposedBlock } from "../../../../node/consensus/bft/payload.ts";
import { readMessage } from "../../../../node/consensus/bft/signed-message.ts";
import { readRecord, SigningRecord } from "../../../../node/consensus/bft/signing-record.ts";
import { compareViews } from "../../../../node/consensus/bft/view.ts";
import { recoverProposer } from "../../../../node/consensus/seal.ts";
import { sortedValidators } from "../../../../node/governance/validators.ts";
import type { Block } from "../../../../node/model/block.ts";
import { type IstanbulExtra, parseExtra, roundOf } from "../../../../node/model/istanbul-extra.ts";
import { councilGenesis, Hub, type Seat, seats } from "../../../support/bft/council.ts";
import { aChain, type TestChain } from "../../../support/chain.ts";
import {
  assembleBlock,
  growChain,
  type Maker,
  openMaker,
  quickClock,
  sealBlocks,
} from "../../../support/sealed-chain.ts";

let ends = new AsyncDisposableStack();
afterEach(async () => {
  await ends.disposeAsync();
  ends = new AsyncDisposableStack();
});

interface Seated {
  readonly open: TestChain;
  readonly engine: Engine;
  /** Blocks that were begun to be executed. */
  executed: number;
}

/** Puts a validator to work on a fresh chain. */
async function seatValidators(
  council: readonly Seat[],
  seat: Seat,
  hub: Hub,
  more: Partial<Maker> = {},
): Promise<Seated> {
  const genesis = councilGenesis(council);
  const open = ends.use(await aChain(genesis));
  const begin = open.state.begin.bind(open.state);
  const counted = () => {
    validator.executed++;
    return begin();
  };
  Object.assign(open.state, { begin: counted });
  const maker = { key: seat.key, rewardbase: seat.address, peers: hub.plug(seat), ...more };
  const engine = ends.use(openMaker(open, maker, quickClock(genesis)));
  const validator = { open, engine, executed: 0 };
  return validator;
}

/** Block `number` of a chain that has it. */
function blockOf({ open }: Seated, number: number): Block & { readonly extra: IstanbulExtra } {
  const block = open.chain.block(number);
  if (block === undefined) throw new Error(`there is no block ${number}`);
  return { ...block, extra: parseExtra(block.header.extra) };
}

/** Of a council whose proposer goes round: who proposes block 1 first, and the others. */
function firstAndOthers(council: readonly Seat[]): {
  readonly first: Seat;
  readonly others: readonly Seat[];
} {
  const order = sortedValidators(council.map(({ address }) => address)).map(mapKey);
  const [zeroth, first, ...others] = council.toSorted(
    (a, b) => order.indexOf(mapKey(a.address)) - order.indexOf(mapKey(b.address)),
  );
  if (zeroth === undefined || first === undefined) throw new Error("a council has several seats");
  return { first, others: [zeroth, ...others] };
}

/** Cannot read the first proposal, and all others. */
function failingOnce(): NonNullable<Maker["assemble"]> {
  let isFirst = true;
  return (header, body) => {
    if (!isFirst) return assembleBlock(header, body);
    isFirst = false;
    return Promise.reject(new Error("nobody can read this"));
  };
}

describe("four validators", () => {
  const council = seats(4);
  const { first, others } = firstAndOthers(council);

  test("commit the same blocks with a quorum of seals, and execute each once", async () => {
    const hub = new Hub();
    const all = await Promise.all(council.map((seat) => seatValidators(council, seat, hub)));
    await Promise.all(all.map(({ open }) => growChain(open, 4)));
    for (let number = 1; number <= 4; number++) {
      const blocks = all.map((each) => blockOf(each, number));
      expect(new Set(blocks.map(({ hash }) => bareHex(hash))).size).toBe(1);
      for (const { extra } of blocks) expect(extra.committedSeals.length).toBeGreaterThanOrEqual(3);
    }
    for (const { executed, open } of all) {
      expect(executed - open.writer.tip.header.number).toBeLessThanOrEqual(1); // the next may be under way
    }
  });

  test("continue with the next proposer after an invalid proposal", async () => {
    const hub = new Hub();
    const critics = others.map((seat) => seatValidators(council, seat, hub, { assemble: failingOnce() }));
    await seatValidators(council, first, hub);
    const all = await Promise.all(critics);
    await Promise.all(all.map(({ open }) => growChain(open, 1)));
    for (const each of all) {
      const { header, extra } = blockOf(each, 1);
      expect(roundOf(header.extra)).toBeGreaterThan(0);
      expect(recoverProposer(header, extra)).not.toEqual(first.address);
    }
  });

  test("need no other round when a block arrives from a peer while its proposal is verified", async () => {
    const [slow] = others as [Seat, Seat, Seat];
    const said: string[] = [];
    const hub = new Hub(({ address }, { message: bytes }) => {
      const { sender, payload } = readMessage(bytes);
      if (address === slow.address && sender === mapKey(address)) said.push(payload.kind);
    });
    const quick = await Promise.all(
      council.filter((seat) => seat !== slow).map((seat) => seatValidators(council, seat, hub)),
    );
    const [peer] = quick as [Seated, Seated, Seated];
    let isFirst = true;
    const assemble: NonNullable<Maker["assemble"]> = async (header, body) => {
      if (isFirst) {
        isFirst = false;
        await growChain(peer.open, 1);
        const { writer } = late.open;
        await writer.exclusively(() => writer.insert(blockOf(peer, 1))); // not durable yet: nobody is told
        setImmediate(() => void writer.exclusively(() => writer.settle()));
      }
      return assembleBlock(header, body);
    };
    const late = await seatValidators(council, slow, hub, { assemble });
    await growChain(late.open, 2);
    expect(said).not.toContain("round-change");
  });

  test("send nothing before the signing record is durable", async () => {
    const open = new Map<string, TestChain>();
    let messages = 0;
    const hub = new Hub(({ address }, { message: bytes }) => {
      const { sender, payload } = readMessage(bytes);
      if (sender !== mapKey(address)) return;
      messages++;
      const store = open.get(sender)?.store;
      const view = store && readRecord(store)?.signed.view;
      expect(view && compareViews(view, payload.view)).toBeGreaterThanOrEqual(0);
    });
    for (const seat of council) {
      const validator = await seatValidators(council, seat, hub);
      open.set(mapKey(seat.address), validator.open);
    }
    await Promise.all([...open.values()].map((each) => growChain(each, 2)));
    expect(messages).toBeGreaterThan(12);
  });

  test("resend their messages to a validator that connects late, in the same round", async () => {
    const proposed = Promise.withResolvers<void>();
    const hub = new Hub(() => proposed.resolve());
    const [second, third] = others as [Seat, Seat, Seat];
    const early = await Promise.all([first, second].map((seat) => seatValidators(council, seat, hub)));
    await proposed.promise;
    const late = await seatValidators(council, third, hub);
    await Promise.all([...early, late].map(({ open }) => growChain(open, 1)));
    expect(roundOf(blockOf(late, 1).header.extra)).toBe(0);
  });
});

test("validators restart the agreement after the chain is rewound", async () => {
  const council = seats(2);
  const hub = new Hub();
  const all = await Promise.all(council.map((seat) => seatValidators(council, seat, hub)));
  await Promise.all(all.map(({ open }) => growChain(open, 2)));
  await Promise.all(all.map(({ engine }) => engine[Symbol.asyncDispose]()));
  for (const { open } of all) {
    expect(readRecord(open.store)).toBeDefined();
    await open.writer.exclusively(() => open.writer.setHead(1));
    expect(readRecord(open.store)).toBeUndefined();
  }
});

test("a restored lock whose body cannot be read ends neither the engine nor the agreement", async () => {
  const [alone] = seats(1) as [Seat];
  const genesis = councilGenesis([alone]);
  const maker = { key: alone.key, rewardbase: alone.address };
  const [{ header }] = (await sealBlocks(genesis, maker, 1)) as [Block];
  const proposal = proposedBlock(header, Uint8Array.of(0xc1, 0x80));
  const { hash } = proposal;
  const view = { sequence: 1, round: 0 };
  const open = ends.use(await aChain(genesis));
  await new SigningRecord(open.store).sync({
    signed: { view, digests: { preprepare: hash, prepare: hash, commit: hash } },
    lock: { proposal, round: 0, proof: [] },
  });
  const engine = ends.use(openMaker(open, maker, quickClock(genesis)));
  await Promise.race([growChain(open, 1), engine.failed]);
  expect(roundOf(open.chain.block(1)?.header.extra ?? new Uint8Array(0))).toBe(1);
});

test("a council continues without a member that was voted out", async () => {
  const [keeper, leaver] = seats(2) as [Seat, Seat];
  const hub = new Hub();
  const votes = [["governance.removevalidator", toHex(leaver.address)]] as const;
  await seatValidators([keeper, leaver], leaver, hub);
  const { open } = await seatValidators([keeper, leaver], keeper, hub, { votes });
  await growChain(open, 5);
  expect(open.governance.council(6)).toEqual([keeper.address]);
});

test("a single validator rebuilds a block that was rewound", async () => {
  const [alone] = seats(1) as [Seat];
  const { open } = await seatValidators([alone], alone, new Hub());
  await growChain(open, 2);
  const taken = await open.writer.exclusively(async () => {
    const { number } = open.writer.tip.header;
    await open.writer.setHead(number - 1);
    return number;
  });
  await growChain(open, taken + 1);
});
