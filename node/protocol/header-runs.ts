/**
 * The headers of one catch-up, in runs of as many as one answer holds. The leader alone says which chain it is: with
 * helpers it names the last headers of several runs, and the runs come from all. A run that a helper gives has to end
 * in the header that the leader named, which proves every header in it.
 */
import { equalBytes } from "../bytes/compare.ts";
import type { HashedHeader } from "../consensus/sealers.ts";
import { blockHash, type Header } from "../model/header.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import { SERVED } from "./limits.ts";
import { headersQuestion } from "./requests.ts";
import type { Sources } from "./sources.ts";

/** A run holds so many. */
const RUN = SERVED.headers;
/** Runs that are asked for at once: their answers wait in memory. */
const MOST_RUNS = 4;

/** Where a run begins, and the header that it ends in. */
interface Gap {
  readonly from: number;
  readonly last: HashedHeader;
}

/**
 * Runs of headers after our own tip, which the leader must have too, up to its head; the last may be empty. Throws
 * `ProtocolError` with what the leader did wrong.
 */
export async function* headerRuns(
  sources: Sources,
  tip: HashedHeader,
): AsyncGenerator<readonly HashedHeader[]> {
  const { leader } = sources;
  const promised = leader.claim.number;
  let answer = await headersOf(leader, { from: tip.header.number, amount: RUN });
  let run = afterTip(tip, answer);
  for (;;) {
    yield run;
    let last = run.at(-1);
    if (last === undefined || answer.length < RUN) return;
    for await (const shared of sharedRuns(sources, last, promised)) {
      yield shared;
      last = shared.at(-1) ?? last;
    }
    answer = await headersOf(leader, { from: last.header.number + 1, amount: RUN });
    run = linked(last, answer);
  }
}

/** Whole runs after `last` while there are helpers for them. */
async function* sharedRuns(
  sources: Sources,
  last: HashedHeader,
  promised: number,
): AsyncGenerator<readonly HashedHeader[]> {
  let before = last;
  for (;;) {
    const gaps = await gapsAfter(sources, before, promised);
    if (gaps.length === 0) return;
    const runs = gaps.map((gap) => fill(sources, gap));
    for (const run of runs) run.catch(() => undefined); // whoever takes the run meets it
    for (const run of runs) {
      const shared = linked(before, await run);
      yield shared;
      before = shared.at(-1) ?? before;
    }
  }
}

/** What the leader says of the next runs; nothing when nobody could help with them. */
async function gapsAfter(sources: Sources, { header }: HashedHeader, promised: number): Promise<Gap[]> {
  const amount = Math.min(MOST_RUNS, Math.floor((promised - header.number) / RUN));
  if (amount < 2 || !sources.hasHelpers(header.number + amount * RUN)) return [];
  const from = header.number + RUN;
  const ends = await headersOf(sources.leader, { from, amount, skip: RUN - 1 });
  return ends.map((end, place) => {
    if (end.number !== from + place * RUN) throw bad(`header ${end.number} was not asked for`);
    return { from: end.number - RUN + 1, last: { header: end, hash: blockHash(end) } };
  });
}

/** The headers of a run: the leader's, or those of a helper that end where they should. */
async function fill(sources: Sources, gap: Gap): Promise<readonly Header[]> {
  const { answer } = await sources.ask(gap.last.header.number, (peer, timeoutMs) =>
    wholeRun(peer, gap, timeoutMs),
  );
  return answer;
}

async function wholeRun(
  peer: ChainPeer,
  { from, last }: Gap,
  timeoutMs: number | undefined,
): Promise<readonly Header[]> {
  const headers: Header[] = [];
  while (headers.length < RUN) {
    const more = await headersOf(
      peer,
      { from: from + headers.length, amount: RUN - headers.length },
      timeoutMs,
    );
    if (more.length === 0) throw bad(`the peer gave ${headers.length} of ${RUN} headers from ${from}`);
    headers.push(...more);
  }
  const [first, ...rest] = headers;
  const ends = first && linked({ header: first, hash: blockHash(first) }, rest).at(-1);
  if (first?.number !== from || ends === undefined || !equalBytes(ends.hash, last.hash)) {
    throw bad(`the headers from ${from} do not end in the named one`);
  }
  return headers;
}

async function headersOf(
  { requests }: ChainPeer,
  { from, amount, skip = 0 }: { readonly from: number; readonly amount: number; readonly skip?: number },
  timeoutMs?: number,
): Promise<readonly Header[]> {
  const asked = { origin: BigInt(from), amount: BigInt(amount), skip: BigInt(skip), reverse: false };
  const headers = await requests.request(headersQuestion, asked, timeoutMs);
  if (headers.length > amount) throw bad(`${headers.length} headers instead of ${amount}`);
  return headers;
}

/** What follows our tip in the first answer, which must begin with it. */
function afterTip(tip: HashedHeader, headers: readonly Header[]): HashedHeader[] {
  const [first, ...rest] = headers;
  if (first === undefined || !equalBytes(blockHash(first), tip.hash)) {
    throw new ProtocolError("wrong-chain", `the peer does not have our block ${tip.header.number}`);
  }
  return linked(tip, rest);
}

function linked(parent: HashedHeader, headers: readonly Header[]): HashedHeader[] {
  let last = parent;
  return headers.map((header) => {
    if (header.number !== last.header.number + 1 || !equalBytes(header.parentHash, last.hash)) {
      throw bad(`header ${header.number} does not follow ${last.header.number}`);
    }
    last = { header, hash: blockHash(header) };
    return last;
  });
}

function bad(what: string): ProtocolError {
  return new ProtocolError("bad-answer", what);
}
