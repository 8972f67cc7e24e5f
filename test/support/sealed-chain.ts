/** Chains whose blocks a validator alone makes as fast as it can: time goes on by a second whenever it is asked for. */
import { encodeRlpList } from "../../node/bytes/rlp.ts";
import type { Genesis } from "../../node/config/genesis.ts";
import { type Engine, type EngineDeps, openEngine } from "../../node/consensus/bft/engine.ts";
import { declareEngineMetrics } from "../../node/consensus/bft/metrics.ts";
import type { ConsensusPeers } from "../../node/consensus/consensus-peers.ts";
import type { Candidates } from "../../node/consensus/proposal.ts";
import { deriveBlsKey } from "../../node/crypto/bls-key.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { createPendingVotes } from "../../node/governance/pending-votes.ts";
import { type Block, decodeBlock } from "../../node/model/block.ts";
import { encodeHeader, type Header } from "../../node/model/header.ts";
import type { Transaction } from "../../node/model/transaction.ts";
import { type Log, silentLog } from "../../node/observe/log.ts";
import { createMetrics } from "../../node/observe/metrics.ts";
import { type Clock, systemClock } from "../../node/runtime/clock.ts";
import { aChain, type TestChain } from "./chain.ts";

/** A proposer with its keys. */
export interface Maker {
  readonly key: Uint8Array;
  readonly blsKey?: Uint8Array;
  readonly rewardbase: Uint8Array;
  /** One sender's transactions, in the order of their nonces. */
  readonly transactions?: readonly Transaction[];
  /** Votes that wait from the beginning, by name. */
  readonly votes?: readonly (readonly [name: string, value: unknown])[];
  /** Resolves once the disk has room for a block; at once if left out. */
  readonly room?: () => Promise<void>;
  /** Other validators; nobody, if left out. */
  readonly peers?: ConsensusPeers;
  /** Reads proposals of others. */
  readonly assemble?: EngineDeps["assemble"];
  readonly onDraft?: EngineDeps["onDraft"];
  /** Milliseconds; left out: a second later whenever it is asked for. */
  readonly now?: () => number;
  /** Without doppelganger protection, if left out. */
  readonly signing?: EngineDeps["signing"];
  /** Silent, if left out. */
  readonly log?: Log;
}

/** A network without anybody in it. */
const nobody: ConsensusPeers = {
  connectedAddresses: () => [],
  send: () => false,
  noteVote: () => undefined,
  onMessage: () => () => undefined,
};

/** Pending transactions of one sender, taken from the front; left out until the next block where one does not fit. */
function candidatesFrom(waiting: Transaction[]): Candidates {
  const turn = [...waiting];
  return {
    peek: () => turn[0],
    following: () => turn[1],
    shift: () => void waiting.splice(waiting.indexOf(turn.shift() as Transaction), 1),
    pop: () => void turn.splice(0),
  };
}

/** The engine of a maker on its chain; time goes on as the maker says. Dispose it. */
export function openMaker(open: TestChain, maker: Maker, clock: Clock = systemClock): Engine {
  return openEngine(makerDeps(open, maker, clock));
}

/** The dependencies of a maker's engine. */
export function makerDeps(
  { state, store, chain, writer, governance, nextHeader }: TestChain,
  maker: Maker,
  clock: Clock,
): EngineDeps {
  const waiting = [...(maker.transactions ?? [])];
  const address = addressOfKey(maker.key);
  const tip = (): number => chain.head().header.number;
  const ballots = createPendingVotes({ governance, tip, address, log: silentLog });
  for (const [name, value] of maker.votes ?? []) ballots.add(name, value);
  chain.onHead(({ header }) => ballots.removeCast(header));
  return {
    config: chain.config,
    chain,
    store,
    peers: maker.peers ?? nobody,
    metrics: declareEngineMetrics(createMetrics(), { now: clock.now, due: clock.now }),
    assemble: maker.assemble ?? assembleBlock,
    encodeWithBlobs: ({ raw }) => raw,
    writer,
    governance,
    nextHeader,
    vote: () => ballots.nextVoteField(),
    state,
    diskSpace: maker.room ?? (() => Promise.resolve()),
    ready: state.ready,
    signing: maker.signing ?? { doppelganger: undefined, minHeight: 0 },
    candidates: () => candidatesFrom(waiting),
    auction: undefined,
    gasless: undefined,
    drop: () => undefined,
    address,
    sign: (digest) => sign(digest, maker.key),
    blsKey: maker.blsKey ?? deriveBlsKey(maker.key),
    rewardbase: maker.rewardbase,
    vanity: new Uint8Array(32),
    intervalMs: 1_000,
    limitMs: 250,
    pause: () => undefined,
    onDraft: maker.onDraft ?? (() => undefined),
    clock,
    log: maker.log ?? silentLog,
  };
}

/** Reads a proposal without blobs. */
export function assembleBlock(header: Header, body: Uint8Array): Promise<Block> {
  return Promise.resolve(decodeBlock(encodeRlpList([encodeHeader(header), body])));
}

/** A clock that goes on by a second whenever it is asked. */
export function quickClock({ timestamp }: Genesis): Clock {
  let now = (timestamp + 10) * 1000;
  return { now: () => (now += 1_000) };
}

/** Resolves when the chain has `count` blocks. */
export async function growChain({ chain }: Pick<TestChain, "chain">, count: number): Promise<void> {
  if (chain.head().header.number >= count) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = chain.onHead(({ header }) => {
    if (header.number >= count) resolve();
  });
  await promise;
  end();
}

/** Makes `count` blocks on a fresh chain of `genesis`. Rejects with what stopped the maker. */
export async function sealBlocks(genesis: Genesis, maker: Maker, count: number): Promise<readonly Block[]> {
  const open = await aChain(genesis);
  const { now } = maker;
  await using engine = openMaker(open, maker, now === undefined ? quickClock(genesis) : { now });
  await Promise.race([growChain(open, count), engine.failed]);
  const blocks = Array.from({ length: count }, (_, i) => open.chain.block(i + 1));
  return blocks.filter((block) => block !== undefined);
}
