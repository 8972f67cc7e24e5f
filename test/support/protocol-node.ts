/** Nodes in memory that speak the chain protocol: a chain, a pool, and blocks made when a test says so. */
import { DEVELOPMENT_KEYS } from "../../node/accounts/development-keys.ts";
import { developmentGenesis } from "../../node/chain/development.ts";
import { recoverSigners } from "../../node/chain/recover-signers.ts";
import { chainForPool } from "../../node/compose/pool.ts";
import { rulesAt } from "../../node/config/rules.ts";
import { draftHeader, fillBlock } from "../../node/consensus/proposal.ts";
import { withCommittedSeals, withProposerSeal } from "../../node/consensus/seal.ts";
import { openRecoverer } from "../../node/crypto/recoverer.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { blockContext } from "../../node/execution/block-context.ts";
import { type Block, createBlock } from "../../node/model/block.ts";
import { listRoot } from "../../node/model/list-root.ts";
import { encodeReceipt } from "../../node/model/receipt.ts";
import { signTransaction, type Transaction } from "../../node/model/transaction.ts";
import { silentLog } from "../../node/observe/log.ts";
import { createMetrics } from "../../node/observe/metrics.ts";
import type { NodeType } from "../../node/p2p/node-type.ts";
import {
  type ChainProtocol,
  type ChainProtocolOptions,
  openChainProtocol,
} from "../../node/protocol/chain-protocol.ts";
import type { ProtocolTimings } from "../../node/protocol/limits.ts";
import { systemClock } from "../../node/runtime/clock.ts";
import { createPause } from "../../node/runtime/scheduler.ts";
import { openTxPool } from "../../node/txpool/open-pool.ts";
import type { TxPool } from "../../node/txpool/pool.ts";
import { aChain, type TestChain } from "./chain.ts";
import { type MetricTally, metricTally } from "./metric-tally.ts";
import type { RunningEnd } from "./protocol-peer.ts";
import { seededRandom } from "./random.ts";

const VALIDATOR = new Uint8Array(32).fill(7);
const PRICE = 750_000_000_000n;

/** A node without sockets. */
export interface TestNode extends AsyncDisposable {
  readonly open: TestChain;
  readonly pool: TxPool;
  readonly protocol: ChainProtocol;
  /** Sum of a metric of the protocol. */
  readonly sum: MetricTally["sum"];
  /** The end of the protocol that a link needs. */
  readonly end: RunningEnd;
}

/** Options of a test's node. */
export interface TestNodeOptions {
  readonly type?: NodeType;
  readonly number: number;
  readonly timings?: Partial<ProtocolTimings>;
  readonly networkId?: number;
  /** Seconds since the epoch at which block 0 was made. */
  readonly time?: number;
  /** Of the protocol; 65 unless said otherwise. */
  readonly version?: number;
  readonly isValidator?: (address: Uint8Array) => boolean;
  /** Without it the node has no blob sidecars and misses none. */
  readonly sidecars?: ChainProtocolOptions["sidecars"];
  readonly auction?: ChainProtocolOptions["auction"];
}

/** Long enough ago for more blocks than any test makes. */
const GENESIS_TIME = Math.floor(Date.now() / 1000) - 20_000;

/** Shared by all nodes: starting threads takes longer than their batches. Idle threads keep no process alive. */
const recoverer = openRecoverer(silentLog);

/** Opens a node; all of one test are on the same chain unless their genesis times differ. */
export async function aNode(terms: TestNodeOptions): Promise<TestNode> {
  const { type = "en", number, networkId = 1337, time = GENESIS_TIME, version = 65 } = terms;
  await using parts = new AsyncDisposableStack();
  const genesis = developmentGenesis({
    validator: addressOfKey(VALIDATOR),
    keys: DEVELOPMENT_KEYS.slice(0, 3),
    chainId: 1337,
    balance: 10n ** 24n,
    time,
  });
  const open = parts.use(await aChain(genesis));
  const { chain, writer, state, store } = open;
  const pool = parts.use(
    await openPool(open, (transactions) => recoverSigners(recoverer, 1337n, transactions)),
  );
  const { metrics, sum } = metricTally();
  const protocol = parts.use(
    openChainProtocol({
      chain,
      writer,
      pool,
      sidecars: terms.sidecars ?? {
        find: () => undefined,
        onMissing: () => undefined,
        accept: async () => false,
      },
      auction: terms.auction,
      recoverer,
      networkId,
      rows: store,
      ready: state.ready,
      nodeType: type,
      clock: systemClock,
      log: silentLog,
      metrics,
      random: seededRandom(number),
      pause: createPause(),
      timings: { announcedMs: 20, gatherMs: 1, ...terms.timings },
      isValidator: terms.isValidator,
    }),
  );
  const row = protocol.protocols.find((each) => each.version === version);
  if (row === undefined) throw new Error("the protocol has no rows");
  const all = parts.move();
  return {
    open,
    pool,
    protocol,
    sum,
    end: { type, number, version, protocol: row },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function openPool(
  { chain }: TestChain,
  recover: (transactions: readonly Transaction[]) => Promise<void>,
): Promise<TxPool> {
  return openTxPool({
    chain: chainForPool(chain),
    clock: systemClock,
    log: silentLog,
    metrics: createMetrics(),
    recoverSenders: recover,
  });
}

/** Makes a block with what the node's pool holds, without a look at the clock; `sync` shows it to everyone. */
export async function makeBlock(
  { open, pool }: Pick<TestNode, "open" | "pool">,
  sync = true,
): Promise<Block> {
  const { chain, writer, state } = open;
  return writer.exclusively(async () => {
    const parent = writer.tip;
    const rules = rulesAt(chain.config, parent.header.number + 1);
    const parameters = chain.parameters(parent.header.number + 1);
    const author = addressOfKey(VALIDATOR);
    const header = draftHeader({
      parent,
      rules,
      parameters,
      validators: [author],
      rewardbase: author,
      vanity: new Uint8Array(32),
      now: (parent.header.time + 1) * 1000,
    });
    const world = state.begin();
    const blockHash = writer.hashOf.bind(writer);
    const context = blockContext(chain.config, header, { author, blockHash });
    const { transactions, outcome } = await fillBlock(world, context, {
      candidates: pool.byPrice(header.baseFee),
      drop: (tx) => pool.drop(tx.hash),
      clock: systemClock,
      limitMs: 10_000,
      pause: () => undefined,
    });
    using sealed = await writer.seal({ world, outcome }, header, rules);
    const completed = {
      ...header,
      stateRoot: sealed.stateRoot,
      transactionsRoot: listRoot(
        parameters.deriveShaImpl,
        transactions.map(({ raw }) => raw),
      ),
      receiptsRoot: listRoot(parameters.deriveShaImpl, outcome.receipts.map(encodeReceipt)),
      bloom: outcome.bloom,
      gasUsed: outcome.gasUsed,
    };
    const seal = (digest: Uint8Array) => sign(digest, VALIDATOR);
    const block = createBlock(withCommittedSeals(withProposerSeal(completed, seal), [seal]), transactions);
    await sealed.complete(block).commit(sync);
    return block;
  });
}

/** Makes empty blocks. */
export async function makeBlocks(node: TestNode, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await makeBlock(node, i === count - 1);
}

/** The number of a node's newest block. */
export function headOf({ open }: TestNode): number {
  return open.chain.head().header.number;
}

/** A transfer by one of the funded accounts. */
export function aTransfer(nonce: number, from = 0, gas = 21_000n): Transaction {
  const key = DEVELOPMENT_KEYS[from] ?? VALIDATOR;
  const draft = {
    code: 0,
    nonce: BigInt(nonce),
    gas,
    gasFeeCap: PRICE,
    gasTipCap: PRICE,
    value: 1n,
    to: new Uint8Array(20).fill(9),
    input: new Uint8Array(0),
  };
  return signTransaction(draft, 1337n, (digest) => sign(digest, key));
}
