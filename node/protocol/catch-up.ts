/**
 * Synchronises with one peer, the leader, up to its head. Headers, then the bodies of non-empty blocks, are
 * fetched from several peers; verification and execution run concurrently, with bounded queues between the
 * stages. Nothing is trusted: headers must link to the local tip, answers must be complete, and every block
 * must pass all checks.
 */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { type HashedHeader, recoverSealers } from "../consensus/sealers.ts";
import type { Block } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import { type BudgetedQueue, createBudgetedQueue } from "../p2p/budget.ts";
import {
  assembleBlock,
  type BlockImportDeps,
  type BodyDeps,
  checkBodyRoot,
  importBlock,
  RECOVERY_BATCH,
  recoverSenders,
} from "./blocks-in.ts";
import { BodyFetcher, type FetchedBody } from "./body-fetcher.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import { headerRuns } from "./header-runs.ts";
import { CATCH_UP_QUEUES } from "./limits.ts";
import { SyncPeers, type SyncPeersDeps } from "./sync-peers.ts";

/** Dependencies of a catch-up. */
export interface CatchUpDeps extends BlockImportDeps, BodyDeps, SyncPeersDeps {
  /** Returns the transactions root of a block without transactions. */
  readonly emptyRoot: (number: number) => Hash;
  /** Called after each imported block with the peers that have delivered it: the leader, and the sender of its body. */
  readonly onBlock: (number: number, from: ReadonlySet<ChainPeer>) => void;
  /** Called once, for the first failure, with the peer that caused it. */
  readonly onFailure: (peer: ChainPeer, error: unknown) => void;
}

/** Dependencies of the stages that make requests. */
type FetchDeps = CatchUpDeps & { readonly syncPeers: SyncPeers };

/** Consecutive headers, the pending check of their seals and the pending bodies of the non-empty ones. */
interface HeaderPiece {
  readonly headers: readonly HashedHeader[];
  readonly sealed: Promise<void>;
  readonly bodies: Promise<FetchedBody[]>;
}

/**
 * An assembled block, the sender of its body (undefined for an empty one), and the pending recovery of its
 * seals and senders.
 */
interface PreparedBlock {
  readonly block: Block;
  readonly from: ChainPeer | undefined;
  readonly ready: Promise<unknown>;
}

/** A header whose own body cannot be decoded. */
interface UnreadableBlock {
  readonly header: Header;
  readonly error: unknown;
}

/** Queues between the stages. `fail` ends all of them. */
interface Pipeline {
  readonly runs: BudgetedQueue<readonly HashedHeader[]>;
  readonly pieces: BudgetedQueue<HeaderPiece>;
  readonly blocks: BudgetedQueue<PreparedBlock | UnreadableBlock>;
  readonly fail: (error: unknown, from?: ChainPeer) => void;
}

/**
 * Imports all blocks up to the peer's head. A failure is passed to `onFailure`: a `ProtocolError`, or an
 * error of `Writer.insert`. Blocks imported before it stay and are durable. Ends early when `signal` is
 * aborted.
 */
export async function catchUpWithPeer(
  peer: ChainPeer,
  deps: CatchUpDeps,
  signal: AbortSignal,
): Promise<void> {
  const promised = peer.claim.number;
  let failed = false;
  const pipeline: Pipeline = {
    runs: createBudgetedQueue(CATCH_UP_QUEUES.headers),
    pieces: createBudgetedQueue(CATCH_UP_QUEUES.pieces),
    blocks: createBudgetedQueue(CATCH_UP_QUEUES.blocks),
    fail(error, from = peer) {
      if (!failed) deps.onFailure(from, error);
      failed = true;
      end();
    },
  };
  const end = (): void => {
    for (const queue of [pipeline.runs, pipeline.pieces, pipeline.blocks]) queue.close("drop");
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    const fetchDeps = { ...deps, syncPeers: new SyncPeers(peer, deps) };
    void fetchHeaders(fetchDeps, pipeline).catch(pipeline.fail);
    void fetchBodies(fetchDeps, pipeline).catch(pipeline.fail);
    void assemble(deps, pipeline).catch(pipeline.fail);
    await importBlocks(fetchDeps, pipeline).catch(pipeline.fail);
  } finally {
    signal.removeEventListener("abort", end);
    await deps.writer.exclusively(() => deps.writer.settle());
  }
  const reached = deps.writer.tip.header.number;
  if (!failed && !signal.aborted && reached < promised) {
    pipeline.fail(
      new ProtocolError(
        "stalling",
        `the peer claimed block ${promised} but delivered blocks up to ${reached} only`,
      ),
    );
  }
}

/** Stage 1: requests headers while their queue has room. */
async function fetchHeaders({ syncPeers, writer, pause }: FetchDeps, { runs }: Pipeline): Promise<void> {
  for await (const run of headerRuns(syncPeers, writer.tip)) {
    if (run.length > 0 && !(await runs.put(run, sizeOf(run)))) return;
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
  runs.close();
}

/** Size of a header without its fields of variable length, in bytes. */
const BASE_HEADER_BYTES = 600;

function sizeOf(run: readonly HashedHeader[]): number {
  return run.reduce(
    (sum, { header: { extra, governance, vote } }) =>
      sum + BASE_HEADER_BYTES + extra.length + governance.length + vote.length,
    0,
  );
}

/** Stage 2: requests bodies ahead of their use, and recovers the sealers of the headers meanwhile. */
async function fetchBodies({ syncPeers, ...deps }: FetchDeps, { runs, pieces }: Pipeline): Promise<void> {
  const fetcher = new BodyFetcher(syncPeers);
  let sealed = Promise.resolve();
  for (let run = await runs.take(); run !== undefined; run = await runs.take()) {
    await sealed;
    sealed = recoverSealers(deps.recoverer, run);
    for (const headers of divide(run, fetcher.requestSize(run.at(-1)?.header.number ?? 0), deps)) {
      const bodies = fetcher.fetch(headers.filter((each) => !isEmpty(each, deps)));
      for (const promise of [sealed, bodies]) promise.catch(() => undefined); // observed when the piece is taken
      if (!(await pieces.put({ headers, sealed, bodies }, sizeOf(headers)))) return;
    }
  }
  pieces.close();
}

function isEmpty({ header }: HashedHeader, { emptyRoot }: CatchUpDeps): boolean {
  return equalBytes(header.transactionsRoot, emptyRoot(header.number));
}

/** Divides headers into pieces with up to `bodies` non-empty blocks each. */
function* divide(
  run: readonly HashedHeader[],
  bodies: number,
  deps: CatchUpDeps,
): Generator<readonly HashedHeader[]> {
  let from = 0;
  let wanted = 0;
  for (const [place, each] of run.entries()) {
    if (!isEmpty(each, deps)) wanted++;
    if (wanted < bodies && place < run.length - 1) continue;
    yield run.slice(from, place + 1);
    from = place + 1;
    wanted = 0;
  }
}

/**
 * Stage 3: assembles blocks and recovers the senders of several blocks together. Ends with a body that is not its header's,
 * for which its sender is responsible, or with one that cannot be decoded.
 */
async function assemble(deps: CatchUpDeps, { pieces, blocks, fail }: Pipeline): Promise<void> {
  for (let piece = await pieces.take(); piece !== undefined; piece = await pieces.take()) {
    const { headers, sealed } = piece;
    const bodies = await piece.bodies;
    let group: Omit<PreparedBlock, "ready">[] = [];
    let transactions = 0;
    for (const [place, each] of headers.entries()) {
      const body = isEmpty(each, deps) ? undefined : bodies.shift();
      const block = await readBlock(each.header, body?.raw, deps).catch((error: unknown) =>
        fail(error, body?.from),
      );
      if (block === undefined) return;
      if ("error" in block) return putLast(block, prepare(group, sealed, { deps, blocks }), blocks);
      group.push({ block, from: body?.from });
      transactions += block.transactions.length;
      if (transactions < RECOVERY_BATCH && place < headers.length - 1) continue;
      if (!(await prepare(group, sealed, { deps, blocks }))) return;
      group = [];
      transactions = 0;
    }
  }
  blocks.close();
}

/** Rejects for a body that is not the header's. */
async function readBlock(
  header: Header,
  body: Uint8Array | undefined,
  deps: CatchUpDeps,
): Promise<Block | UnreadableBlock> {
  if (body !== undefined) await checkBodyRoot(header, body, deps);
  try {
    return await assembleBlock(header, body, deps);
  } catch (error) {
    return { header, error };
  }
}

/** Puts a block that cannot be decoded behind those before it. */
async function putLast(
  block: UnreadableBlock,
  prepared: Promise<boolean>,
  blocks: Pipeline["blocks"],
): Promise<void> {
  if (await prepared) await blocks.put(block, 0);
}

async function prepare(
  group: readonly Omit<PreparedBlock, "ready">[],
  sealed: Promise<void>,
  { deps, blocks }: { readonly deps: CatchUpDeps; readonly blocks: Pipeline["blocks"] },
): Promise<boolean> {
  const senders = recoverSenders(
    group.map(({ block }) => block),
    deps,
  );
  const ready = Promise.all([sealed, senders]);
  ready.catch(() => undefined); // observed when the block is taken
  for (const each of group) {
    if (!(await blocks.put({ ...each, ready }, each.block.size))) return false;
  }
  return true;
}

/** Stage 4: imports blocks. Rejects with the leader's failure: bodies were compared with its headers. */
async function importBlocks({ syncPeers, ...deps }: FetchDeps, { blocks }: Pipeline): Promise<void> {
  for (let next = await blocks.take(); next !== undefined; next = await blocks.take()) {
    if ("error" in next) {
      deps.writer.checkHeader(next.header); // a forged one names any body
      throw next.error;
    }
    await next.ready;
    await importBlock(deps, next.block, false);
    const from = next.from ?? syncPeers.leader;
    const isLeaderCredited = !syncPeers.isLeaderPassedOver;
    deps.onBlock(next.block.header.number, new Set(isLeaderCredited ? [syncPeers.leader, from] : [from]));
    const waiting = deps.pause();
    if (waiting !== undefined) await waiting;
  }
}
