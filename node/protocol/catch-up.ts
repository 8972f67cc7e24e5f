/**
 * Takes blocks from one peer until it has no more: headers, then the bodies that are not empty, then
 * verification and execution, all three at once, with bounded queues between them. Nothing is believed: headers
 * must be linked to our tip, answers complete, and every block passes all rules.
 */
import { equalBytes } from "../bytes/compare.ts";
import { findSealers, type HashedHeader } from "../consensus/found-sealers.ts";
import type { Block } from "../model/block.ts";
import { blockHash, type Header } from "../model/header.ts";
import { type BudgetedQueue, createBudgetedQueue } from "../p2p/budget.ts";
import { assembleBlock, type BlockIntake, findSenders, takeBlock } from "./blocks-in.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import { CATCH_UP, FULL_ANSWER_BYTES, SERVED } from "./limits.ts";
import { bodiesQuestion, headersQuestion } from "./requests.ts";

/** What a catch-up needs. */
export interface CatchUpParts extends BlockIntake {
  /** The transactions root of a block without transactions. */
  readonly emptyRoot: (number: number) => Uint8Array;
  /** Told of every block taken. */
  readonly onBlock: (number: number) => void;
}

/** A header and its hash. */
type Linked = HashedHeader;

/** A block, and when its seals and senders are known. */
interface PreparedBlock {
  readonly block: Block;
  readonly ready: Promise<unknown>;
}

/**
 * Takes all blocks up to the peer's head. Rejects with what is wrong: `ProtocolError`, or as `Writer.insert`
 * does. What was taken before is kept and durable either way. Ends early without error when `signal` is aborted.
 */
export async function catchUp(peer: ChainPeer, parts: CatchUpParts, signal: AbortSignal): Promise<void> {
  const promised = peer.claim.number;
  const runs = createBudgetedQueue<readonly Linked[]>(CATCH_UP.headers);
  const blocks = createBudgetedQueue<PreparedBlock>(CATCH_UP.blocks);
  let failure: { readonly error: unknown } | undefined;
  const end = (): void => {
    runs.close("drop");
    blocks.close("drop");
  };
  const stage = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      failure ??= { error };
      end();
    }
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    void stage(fetchHeaders(peer, parts, runs));
    void stage(fetchBodies(peer, parts, { runs, blocks }));
    await stage(takeBlocks(parts, blocks));
  } finally {
    signal.removeEventListener("abort", end);
    await parts.writer.exclusively(() => parts.writer.settle());
  }
  if (failure !== undefined) throw failure.error;
  const reached = parts.writer.tip.header.number;
  if (!signal.aborted && reached < promised) {
    throw new ProtocolError(
      "stalling",
      `the peer promised block ${promised} and gave no more than ${reached}`,
    );
  }
}

/** Asks for header after header, beginning with our own tip, which both must have. */
async function fetchHeaders(
  { requests }: ChainPeer,
  { writer, pause }: CatchUpParts,
  runs: BudgetedQueue<readonly Linked[]>,
): Promise<void> {
  const amount = SERVED.headers;
  const tip = writer.tip;
  let last: Linked | undefined;
  for (;;) {
    const origin = BigInt(last === undefined ? tip.header.number : last.header.number + 1);
    const asked = { origin, amount: BigInt(amount), skip: 0n, reverse: false };
    const headers = await requests.request(headersQuestion, asked);
    const run = last === undefined ? afterTip(tip, headers) : linked(last, headers);
    if (run.length > 0 && !(await runs.put(run, sizeOf(run)))) return;
    last = run.at(-1);
    if (last === undefined || headers.length < amount) return runs.close();
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
}

/** What follows our tip in the first answer, which must begin with it. */
function afterTip(tip: Linked, headers: readonly Header[]): Linked[] {
  const [first, ...rest] = headers;
  if (first === undefined || !equalBytes(blockHash(first), tip.hash)) {
    throw new ProtocolError("wrong-chain", `the peer does not have our block ${tip.header.number}`);
  }
  return linked(tip, rest);
}

function linked(parent: Linked, headers: readonly Header[]): Linked[] {
  let last = parent;
  return headers.map((header) => {
    if (header.number !== last.header.number + 1 || !equalBytes(header.parentHash, last.hash)) {
      throw new ProtocolError("bad-answer", `header ${header.number} does not follow ${last.header.number}`);
    }
    last = { header, hash: blockHash(header) };
    return last;
  });
}

/** Bytes that a header has apart from the fields that may be of any length. */
const PLAIN_HEADER = 600;

function sizeOf(run: readonly Linked[]): number {
  return run.reduce(
    (sum, { header: { extra, governance, vote } }) =>
      sum + PLAIN_HEADER + extra.length + governance.length + vote.length,
    0,
  );
}

interface Queues {
  readonly runs: BudgetedQueue<readonly Linked[]>;
  readonly blocks: BudgetedQueue<PreparedBlock>;
}

/** Turns headers into blocks, and finds who sealed the one and sent the other meanwhile, many at once. */
async function fetchBodies(peer: ChainPeer, parts: CatchUpParts, { runs, blocks }: Queues): Promise<void> {
  let sealed = Promise.resolve();
  for (let run = await runs.take(); run !== undefined; run = await runs.take()) {
    await sealed;
    sealed = findSealers(parts.recoverer, run);
    for await (const group of assembled(peer, parts, run)) {
      const ready = Promise.all([sealed, findSenders(group, parts)]);
      ready.catch(() => undefined); // whoever takes the block meets it
      if (!(await putAll(blocks, group, ready))) return;
    }
  }
  blocks.close();
}

async function putAll(
  blocks: BudgetedQueue<PreparedBlock>,
  group: readonly Block[],
  ready: Promise<unknown>,
): Promise<boolean> {
  for (const block of group) {
    if (!(await blocks.put({ block, ready }, block.size))) return false;
  }
  return true;
}

/** The blocks of a run in groups with some work in each; bodies are asked for where there are any. */
async function* assembled(
  peer: ChainPeer,
  { emptyRoot, pause }: CatchUpParts,
  run: readonly Linked[],
): AsyncGenerator<Block[]> {
  const isEmpty = ({ header }: Linked): boolean =>
    equalBytes(header.transactionsRoot, emptyRoot(header.number));
  const wanted = run.filter((each) => !isEmpty(each));
  let bodies: Uint8Array[] = [];
  let asked = 0;
  let group: Block[] = [];
  let transactions = 0;
  for (const each of run) {
    if (!isEmpty(each) && bodies.length === 0) {
      bodies = await askBodies(peer, wanted.slice(asked, asked + SERVED.bodies));
      asked += bodies.length;
    }
    const block = await assembleBlock(each.header, isEmpty(each) ? undefined : bodies.shift(), pause);
    group.push(block);
    transactions += block.transactions.length;
    if (transactions < GROUP_TRANSACTIONS) continue;
    yield group;
    group = [];
    transactions = 0;
  }
  if (group.length > 0) yield group;
}

/** Transactions whose senders are found together. */
const GROUP_TRANSACTIONS = 256;

/** As many bodies as the peer gives at once: all, or enough to reach the size at which servers stop. */
async function askBodies({ requests }: ChainPeer, wanted: readonly Linked[]): Promise<Uint8Array[]> {
  const bodies = await requests.request(
    bodiesQuestion,
    wanted.map(({ hash }) => hash),
  );
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
  if (bodies.length > wanted.length) throw new ProtocolError("bad-answer", "more bodies than asked for");
  if (bodies.length === 0 || (bodies.length < wanted.length && bytes < FULL_ANSWER_BYTES)) {
    throw new ProtocolError(
      "bad-answer",
      `the peer gave ${bodies.length} of ${wanted.length} bodies of its own headers`,
    );
  }
  return bodies;
}

async function takeBlocks(parts: CatchUpParts, blocks: BudgetedQueue<PreparedBlock>): Promise<void> {
  for (let next = await blocks.take(); next !== undefined; next = await blocks.take()) {
    await next.ready;
    await takeBlock(parts, next.block);
    parts.onBlock(next.block.header.number);
    const waiting = parts.pause();
    if (waiting !== undefined) await waiting;
  }
}
