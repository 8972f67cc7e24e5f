/**
 * Headers of one catch-up, in runs of one answer each. Only the leader defines the chain: with helpers, it
 * names the last header of several runs, which are then requested from all peers. A helper's run must end in
 * the named header, which proves every header in it.
 */
import { equalBytes } from "../bytes/compare.ts";
import type { HashedHeader } from "../consensus/sealers.ts";
import { blockHash, type Header } from "../model/header.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import { MAX_SERVED } from "./limits.ts";
import { headersRequest } from "./requests.ts";
import type { SyncPeers } from "./sync-peers.ts";

/** Number of headers in a run. */
const RUN_LENGTH = MAX_SERVED.headers;
/** Maximum number of runs requested at once; their answers wait in memory. */
const MAX_RUNS = 4;

/** First block number of a run, and its last header. */
interface RunBounds {
  readonly from: number;
  readonly last: HashedHeader;
}

/**
 * Yields runs of headers after the local tip, which the leader must have too, up to the leader's head. The
 * last run may be empty. Throws `ProtocolError` for the leader's failure.
 */
export async function* headerRuns(
  syncPeers: SyncPeers,
  tip: HashedHeader,
): AsyncGenerator<readonly HashedHeader[]> {
  const promised = syncPeers.leader.claim.number;
  const first = { from: tip.header.number, amount: RUN_LENGTH };
  let answer = await syncPeers.askLeader((peer) => requestHeaders(peer, first));
  let run = afterTip(tip, answer);
  for (;;) {
    yield run;
    let last = run.at(-1);
    if (last === undefined || answer.length < RUN_LENGTH) return;
    for await (const shared of sharedRuns(syncPeers, last, promised)) {
      yield shared;
      last = shared.at(-1) ?? last;
    }
    const next = { from: last.header.number + 1, amount: RUN_LENGTH };
    answer = await syncPeers.askLeader((peer) => requestHeaders(peer, next));
    run = linkHeaders(last, answer);
  }
}

/** Yields whole runs after `last` while helpers have them. */
async function* sharedRuns(
  syncPeers: SyncPeers,
  last: HashedHeader,
  promised: number,
): AsyncGenerator<readonly HashedHeader[]> {
  let before = last;
  for (;;) {
    const gaps = await requestBounds(syncPeers, before, promised);
    if (gaps.length === 0) return;
    const runs = gaps.map((gap) => fetchRun(syncPeers, gap));
    for (const run of runs) run.catch(() => undefined); // observed when the run is taken
    for (const run of runs) {
      const shared = linkHeaders(before, await run);
      yield shared;
      before = shared.at(-1) ?? before;
    }
  }
}

/** Requests the last headers of the next runs from the leader. Returns none without helpers. */
async function requestBounds(
  syncPeers: SyncPeers,
  { header }: HashedHeader,
  promised: number,
): Promise<RunBounds[]> {
  const amount = Math.min(MAX_RUNS, Math.floor((promised - header.number) / RUN_LENGTH));
  if (amount < 2 || !syncPeers.hasHelpers(header.number + amount * RUN_LENGTH)) return [];
  const from = header.number + RUN_LENGTH;
  const asked = { from, amount, skip: RUN_LENGTH - 1 };
  const ends = await syncPeers.askLeader((leader) => requestHeaders(leader, asked));
  return ends.map((end, place) => {
    if (end.number !== from + place * RUN_LENGTH) throw badAnswer(`header ${end.number} was not requested`);
    return { from: end.number - RUN_LENGTH + 1, last: { header: end, hash: blockHash(end) } };
  });
}

/** Requests the headers of a run, from the leader or from a helper. */
async function fetchRun(syncPeers: SyncPeers, gap: RunBounds): Promise<readonly Header[]> {
  const { answer } = await syncPeers.ask(gap.last.header.number, (peer, timeoutMs) =>
    requestRun(peer, gap, timeoutMs),
  );
  return answer;
}

async function requestRun(
  peer: ChainPeer,
  { from, last }: RunBounds,
  timeoutMs: number | undefined,
): Promise<readonly Header[]> {
  const headers: Header[] = [];
  while (headers.length < RUN_LENGTH) {
    const more = await requestHeaders(
      peer,
      { from: from + headers.length, amount: RUN_LENGTH - headers.length },
      timeoutMs,
    );
    if (more.length === 0)
      throw badAnswer(`the peer sent ${headers.length} of ${RUN_LENGTH} headers from ${from}`);
    headers.push(...more);
  }
  const [first, ...rest] = headers;
  const ends = first && linkHeaders({ header: first, hash: blockHash(first) }, rest).at(-1);
  if (first?.number !== from || ends === undefined || !equalBytes(ends.hash, last.hash)) {
    throw badAnswer(`the headers from ${from} do not end in the header that the leader named`);
  }
  return headers;
}

async function requestHeaders(
  { requests }: ChainPeer,
  { from, amount, skip = 0 }: { readonly from: number; readonly amount: number; readonly skip?: number },
  timeoutMs?: number,
): Promise<readonly Header[]> {
  const asked = { origin: BigInt(from), amount: BigInt(amount), skip: BigInt(skip), reverse: false };
  const headers = await requests.request(headersRequest, asked, timeoutMs);
  if (headers.length > amount) throw badAnswer(`${headers.length} headers instead of ${amount}`);
  return headers;
}

/** Returns the linked headers of the first answer, which must begin with the local tip. */
function afterTip(tip: HashedHeader, headers: readonly Header[]): HashedHeader[] {
  const [first, ...rest] = headers;
  if (first === undefined || !equalBytes(blockHash(first), tip.hash)) {
    throw new ProtocolError("wrong-chain", `the peer does not have our block ${tip.header.number}`);
  }
  return linkHeaders(tip, rest);
}

function linkHeaders(parent: HashedHeader, headers: readonly Header[]): HashedHeader[] {
  let last = parent;
  return headers.map((header) => {
    if (header.number !== last.header.number + 1 || !equalBytes(header.parentHash, last.hash)) {
      throw badAnswer(`header ${header.number} does not follow ${last.header.number}`);
    }
    last = { header, hash: blockHash(header) };
    return last;
  });
}

function badAnswer(what: string): ProtocolError {
  return new ProtocolError("bad-answer", what);
}
