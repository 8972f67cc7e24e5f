/** Chains whose blocks a validator alone makes as fast as it can: time goes on by a second whenever it is asked for. */
import { once } from "node:events";
import { encodeRlpList } from "../../node/bytes/rlp.ts";
import type { Genesis } from "../../node/config/genesis.ts";
import { type Engine, openEngine } from "../../node/consensus/bft/engine.ts";
import { declareEngineMetrics } from "../../node/consensus/bft/metrics.ts";
import type { ConsensusPeers } from "../../node/consensus/consensus-peers.ts";
import type { Candidates } from "../../node/consensus/proposal.ts";
import { deriveBlsKey } from "../../node/crypto/bls-key.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { createBallots } from "../../node/governance/ballots.ts";
import { type Block, decodeBlock } from "../../node/model/block.ts";
import { encodeHeader } from "../../node/model/header.ts";
import type { Transaction } from "../../node/model/transaction.ts";
import type { Clock } from "../../node/observe/clock.ts";
import { silentLog } from "../../node/observe/log.ts";
import { createMetrics } from "../../node/observe/metrics.ts";
import { aChain } from "./chain.ts";

/** Who makes blocks. */
export interface Maker {
  readonly key: Uint8Array;
  readonly blsKey?: Uint8Array;
  readonly rewardbase: Uint8Array;
  /** One sender's transactions, in the order of their nonces. */
  readonly transactions?: readonly Transaction[];
  /** Votes that wait from the beginning, by name. */
  readonly votes?: readonly (readonly [name: string, value: unknown])[];
  /** When the disk has room for a block: always, if left out. */
  readonly room?: () => Promise<void>;
  /** Milliseconds; left out: a second later whenever it is asked for. */
  readonly now?: () => number;
}

/** A network without anybody in it. */
const nobody: ConsensusPeers = {
  connected: () => [],
  send: () => false,
  onMessage: () => () => undefined,
};

/** What waits of one sender: taken from the front; left out until the next block where it does not fit. */
function candidatesFrom(waiting: Transaction[]): Candidates {
  const turn = [...waiting];
  return {
    peek: () => turn[0],
    shift: () => void waiting.splice(waiting.indexOf(turn.shift() as Transaction), 1),
    pop: () => void turn.splice(0),
  };
}

/** Makes `count` blocks on a fresh chain of `genesis`. Rejects with what stopped it. */
export async function sealBlocks(genesis: Genesis, maker: Maker, count: number): Promise<readonly Block[]> {
  const { state, store, chain, writer, governance } = await aChain(genesis);
  let now = (genesis.timestamp + 10) * 1000;
  const clock: Clock = { now: maker.now ?? (() => (now += 1_000)) };
  const waiting = [...(maker.transactions ?? [])];
  const address = addressOfKey(maker.key);
  const ballots = createBallots({
    governance,
    tip: () => chain.head().header.number,
    address,
    log: silentLog,
  });
  for (const [name, value] of maker.votes ?? []) ballots.add(name, value);
  const grown = new EventTarget();
  chain.onHead(({ header }) => {
    ballots.settle(header);
    if (header.number >= count) grown.dispatchEvent(new Event("done"));
  });
  const done = once(grown, "done");
  await using engine: Engine = openEngine({
    config: chain.config,
    chain,
    store,
    peers: nobody,
    metrics: declareEngineMetrics(createMetrics(), clock.now),
    assemble: (header, body) => Promise.resolve(decodeBlock(encodeRlpList([encodeHeader(header), body]))),
    wire: ({ raw }) => raw,
    writer,
    governance,
    vote: () => ballots.next(),
    state,
    room: maker.room ?? (() => Promise.resolve()),
    ready: state.ready,
    candidates: () => candidatesFrom(waiting),
    drop: () => undefined,
    address,
    sign: (digest) => sign(digest, maker.key),
    blsKey: maker.blsKey ?? deriveBlsKey(maker.key),
    rewardbase: maker.rewardbase,
    vanity: new Uint8Array(32),
    intervalMs: 1_000,
    limitMs: 250,
    pause: () => undefined,
    clock,
    log: silentLog,
  });
  await Promise.race([done, engine.failed]);
  return Array.from({ length: count }, (_, i) => chain.block(i + 1)).filter((block) => block !== undefined);
}
