/**
 * Takes blocks of one peer, the leader, until it has no more: headers, then the bodies that are not empty, both from
 * other peers too, then verification and execution, all at once, with bounded queues between them. Nothing is
 * believed: headers must be linked to our tip, answers complete, and every block passes all rules.
 */
import { equalBytes } from "../bytes/compare.ts";
import { type HashedHeader, recoverSealers } from "../consensus/sealers.ts";
import type { Block } from "../model/block.ts";
import { type BudgetedQueue, createBudgetedQueue } from "../p2p/budget.ts";
import { assembleBlock, type BlockIntake, findSenders, takeBlock } from "./blocks-in.ts";
import { type Body, BodySources } from "./body-sources.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import { headerRuns } from "./header-runs.ts";
import { CATCH_UP } from "./limits.ts";
import { type HelperParts, Sources } from "./sources.ts";

/** What a catch-up needs. */
export interface CatchUpParts extends BlockIntake, HelperParts {
  /** The transactions root of a block without transactions. */
  readonly emptyRoot: (number: number) => Uint8Array;
  /** That of a block with these, in their raw forms. */
  readonly bodyRoot: (number: number, raw: readonly Uint8Array[]) => Uint8Array;
  /** Told of every block taken. */
  readonly onBlock: (number: number) => void;
  /** Told once, when something is wrong, with the peer that it came from. */
  readonly onFailure: (peer: ChainPeer, error: unknown) => void;
}

/** The parts with those who are asked. */
type Asked = CatchUpParts & { readonly sources: Sources };

/** Headers in a row with the bodies of those that are not empty, which are under way. */
interface Piece {
  readonly headers: readonly HashedHeader[];
  readonly sealed: Promise<void>;
  readonly bodies: Promise<Body[]>;
}

/** A block, who gave its body if it has one, and when its seals and senders are known. */
interface PreparedBlock {
  readonly block: Block;
  readonly from: ChainPeer | undefined;
  readonly ready: Promise<unknown>;
}

/** The stages' queues, and how a stage ends them all. */
interface Line {
  readonly runs: BudgetedQueue<readonly HashedHeader[]>;
  readonly pieces: BudgetedQueue<Piece>;
  readonly blocks: BudgetedQueue<PreparedBlock>;
  readonly fail: (error: unknown, from?: ChainPeer) => void;
}

/**
 * Takes all blocks up to the peer's head. What is wrong is told to `onFailure`: `ProtocolError`, or what
 * `Writer.insert` rejects with. What was taken before is kept and durable either way. Ends early when `signal` is
 * aborted.
 */
export async function catchUp(peer: ChainPeer, parts: CatchUpParts, signal: AbortSignal): Promise<void> {
  const promised = peer.claim.number;
  let failed = false;
  const line: Line = {
    runs: createBudgetedQueue(CATCH_UP.headers),
    pieces: createBudgetedQueue(CATCH_UP.pieces),
    blocks: createBudgetedQueue(CATCH_UP.blocks),
    fail(error, from = peer) {
      if (!failed) parts.onFailure(from, error);
      failed = true;
      end();
    },
  };
  const end = (): void => {
    for (const queue of [line.runs, line.pieces, line.blocks]) queue.close("drop");
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    const asked = { ...parts, sources: new Sources(peer, parts) };
    void fetchHeaders(asked, line).catch(line.fail);
    void fetchBodies(asked, line).catch(line.fail);
    void assemble(parts, line).catch(line.fail);
    await takeBlocks(parts, line).catch(line.fail);
  } finally {
    signal.removeEventListener("abort", end);
    await parts.writer.exclusively(() => parts.writer.settle());
  }
  const reached = parts.writer.tip.header.number;
  if (!failed && !signal.aborted && reached < promised) {
    line.fail(
      new ProtocolError("stalling", `the peer promised block ${promised} and gave no more than ${reached}`),
    );
  }
}

/** Asks for headers while there is room for them. */
async function fetchHeaders({ sources, writer, pause }: Asked, { runs }: Line): Promise<void> {
  for await (const run of headerRuns(sources, writer.tip)) {
    if (run.length > 0 && !(await runs.put(run, sizeOf(run)))) return;
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
  runs.close();
}

/** Bytes that a header has apart from the fields that may be of any length. */
const PLAIN_HEADER = 600;

function sizeOf(run: readonly HashedHeader[]): number {
  return run.reduce(
    (sum, { header: { extra, governance, vote } }) =>
      sum + PLAIN_HEADER + extra.length + governance.length + vote.length,
    0,
  );
}

/** Asks for bodies some pieces ahead, and finds out who sealed the headers meanwhile. */
async function fetchBodies({ sources, ...parts }: Asked, { runs, pieces }: Line): Promise<void> {
  const source = new BodySources(sources);
  let sealed = Promise.resolve();
  for (let run = await runs.take(); run !== undefined; run = await runs.take()) {
    await sealed;
    sealed = recoverSealers(parts.recoverer, run);
    for (const headers of cut(run, source.share(run.at(-1)?.header.number ?? 0), parts)) {
      const bodies = source.bodies(headers.filter((each) => !isEmpty(each, parts)));
      for (const promise of [sealed, bodies]) promise.catch(() => undefined); // whoever takes the piece meets it
      if (!(await pieces.put({ headers, sealed, bodies }, sizeOf(headers)))) return;
    }
  }
  pieces.close();
}

function isEmpty({ header }: HashedHeader, { emptyRoot }: CatchUpParts): boolean {
  return equalBytes(header.transactionsRoot, emptyRoot(header.number));
}

/** Pieces with so many bodies each, and at the end what is left. */
function* cut(
  run: readonly HashedHeader[],
  bodies: number,
  parts: CatchUpParts,
): Generator<readonly HashedHeader[]> {
  let from = 0;
  let wanted = 0;
  for (const [place, each] of run.entries()) {
    if (!isEmpty(each, parts)) wanted++;
    if (wanted < bodies && place < run.length - 1) continue;
    yield run.slice(from, place + 1);
    from = place + 1;
    wanted = 0;
  }
}

/** Turns pieces into blocks, and finds who sent their transactions, those of many blocks at once. */
async function assemble(parts: CatchUpParts, { pieces, blocks, fail }: Line): Promise<void> {
  for (let piece = await pieces.take(); piece !== undefined; piece = await pieces.take()) {
    const { headers, sealed } = piece;
    const bodies = await piece.bodies;
    let group: Omit<PreparedBlock, "ready">[] = [];
    let transactions = 0;
    for (const [place, each] of headers.entries()) {
      const body = isEmpty(each, parts) ? undefined : bodies.shift();
      const block = await assembleBlock(each.header, body?.raw, parts).catch((error: unknown) =>
        fail(error, body?.from),
      );
      if (block === undefined) return;
      group.push({ block, from: body?.from });
      transactions += block.transactions.length;
      if (transactions < GROUP_TRANSACTIONS && place < headers.length - 1) continue;
      if (!(await prepare(group, sealed, { parts, blocks }))) return;
      group = [];
      transactions = 0;
    }
  }
  blocks.close();
}

/** Transactions whose senders are found together. */
const GROUP_TRANSACTIONS = 256;

async function prepare(
  group: readonly Omit<PreparedBlock, "ready">[],
  sealed: Promise<void>,
  { parts, blocks }: { readonly parts: CatchUpParts; readonly blocks: Line["blocks"] },
): Promise<boolean> {
  const senders = findSenders(
    group.map(({ block }) => block),
    parts,
  );
  const ready = Promise.all([sealed, senders]);
  ready.catch(() => undefined); // whoever takes the block meets it
  for (const each of group) {
    if (!(await blocks.put({ ...each, ready }, each.block.size))) return false;
  }
  return true;
}

async function takeBlocks(parts: CatchUpParts, { blocks, fail }: Line): Promise<void> {
  for (let next = await blocks.take(); next !== undefined; next = await blocks.take()) {
    await next.ready;
    try {
      await takeBlock(parts, next.block);
    } catch (error) {
      return fail(error, hasItsBody(next.block, parts) ? undefined : next.from);
    }
    parts.onBlock(next.block.header.number);
    const waiting = parts.pause();
    if (waiting !== undefined) await waiting;
  }
}

/** Whether the transactions are those of the header: then who gave the header answers for the block. */
export function hasItsBody(
  { header, transactions }: Block,
  { bodyRoot }: Pick<CatchUpParts, "bodyRoot">,
): boolean {
  const raw = transactions.map((transaction) => transaction.raw);
  return equalBytes(bodyRoot(header.number, raw), header.transactionsRoot);
}
