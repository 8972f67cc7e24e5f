/**
 * A node made of a recorded data directory of a Go node gives the recorded answers of a Go node that has executed all
 * blocks, and those of a Knit node that has; apart from reads that need a state older than the imported one.
 */
import { expect, test } from "@jest/globals";
import { toHex } from "../../node/bytes/hex.ts";
import { type Block, decodeBlock } from "../../node/model/block.ts";
import { readRecordedChain } from "../support/recorded-chain.ts";
import { playEntries } from "../support/transcript/play.ts";
import { type Entry, readTranscript, requestOf } from "../support/transcript/transcript.ts";
import { chainFolderOf, startTranscriptNode } from "../support/transcript/transcript-node.ts";
import { type HttpWire, openHttpWire } from "../support/transcript/wires.ts";

const ALL = process.env["KNIT_TRANSCRIPTS"] === "all";

/** Reads that need the state of a block, by their reason. */
const STATE_READS = {
  "an account": [
    "getBalance",
    "getTransactionCount",
    "getCode",
    "getStorageAt",
    "getAccount",
    "getAccountKey",
    "isContractAccount",
    "accountCreated",
  ],
  "a call of a contract": ["call", "getActiveAddressFromRegistry"],
  "the balances of the burn addresses": ["getTotalSupply"],
  "the keys of the sender": ["recoverFromTransaction"],
};
/** Reads that need the state before a block, by their reason. */
const PARENT_READS = {
  "the public keys of the validators": ["getBlsInfos"],
  stakes: [
    "getCommittee",
    "getCommitteeSize",
    "getRewards",
    "getStakingInfo",
    "getValidators",
    "getDemotedValidators",
  ],
  "the difference of two states": ["getModifiedAccountsByNumber", "getModifiedAccountsByHash"],
  "the transactions are executed again": [
    "traceTransaction",
    "traceBlockByNumber",
    "traceBlockByHash",
    "storageRangeAt",
  ],
};
const PARENT_METHODS: readonly string[] = Object.values(PARENT_READS).flat();
const METHODS: readonly string[] = [...Object.values(STATE_READS).flat(), ...PARENT_METHODS];

/** Texts of the errors for a state that is not there. */
const NO_STATE = /no state of block (\d+): kept are those of blocks (\d+) to/;
const NOT_TRACED = /historical state unavailable/;

interface GoChain {
  /** Recorded directory. */
  readonly go: string;
  readonly transcript: string;
  /** Block whose state is imported, so that those behind it are executed; absent for directories with one state. */
  readonly head?: number;
}

test.each<GoChain>([
  { go: "kaia22-full", transcript: "randao-ladder-kaia222", head: 84 },
  ...(ALL
    ? [
        { go: "klaytn112-archive", transcript: "shanghai-klaytn112", head: 40 },
        { go: "kaia22-live-pruning", transcript: "randao-ladder-kaia222" },
        { go: "klaytn112-single", transcript: "shanghai-klaytn112" },
        { go: "klaytn112-live-pruning", transcript: "randao-klaytn112" },
      ]
    : []),
])(
  "a node made of $go answers $transcript as nodes that have executed the blocks",
  async ({ go, transcript: name, head }) => {
    const path = `test/vectors/rpc/${name}.json.gz`;
    const transcript = readTranscript(path);
    const source = { folder: chainFolderOf(path, transcript.chain), left: 0 };
    const goData = { path: `test/vectors/go-data/${go}.tar.gz`, head };
    const starts = [source, { ...source, goData }].map((each) => startTranscriptNode(transcript, each));
    await using executed = await starts[0];
    await using imported = await starts[1];
    if (executed === undefined || imported === undefined) throw new Error("two nodes");
    expect([imported.missing, executed.missing]).toEqual([undefined, undefined]);

    const verdicts = await playEntries(transcript.entries, imported);
    const others = verdicts.filter(({ outcome }) => outcome !== "same");
    for (const { method, line } of others) {
      expect(METHODS).toContain(bareName(method));
      expect(line).toMatch(new RegExp(`found .*(${NO_STATE.source}|${NOT_TRACED.source})`));
    }
    expect(others.length).toBeLessThan(verdicts.length / 6);

    const blocks = readRecordedChain(source.folder).blocks.map(({ raw }) => decodeBlock(raw));
    const answerable = others.filter(
      ({ method }) => head !== undefined || !PARENT_METHODS.includes(bareName(method)),
    );
    const requests = answerable.flatMap(({ n, line }) => {
      const entry = transcript.entries.find((each) => each.n === n);
      return entry === undefined ? [] : atNewest(entry, missingState(line), blocks.length - 1);
    });
    expect(requests.length).toBeGreaterThan(answerable.length / 2);
    const next = head === undefined ? undefined : blocks[head + 1];
    using ours = openHttpWire(imported.httpPort);
    using theirs = openHttpWire(executed.httpPort);
    for (const request of [...requests, ...(next === undefined ? [] : readsOf(next))]) {
      const answers = [await answerOf(ours, request), await answerOf(theirs, request)];
      expect({ request, answer: answers[0] }).toEqual({ request, answer: answers[1] });
      expect(answers[1]).not.toMatch(NO_STATE);
    }
  },
  60_000,
);

/** Returns the name of a method without its namespace. */
function bareName(method: string): string {
  return method.slice(method.indexOf("_") + 1);
}

interface Request {
  readonly method: string;
  readonly params: readonly unknown[];
}

async function answerOf(wire: HttpWire, request: Request): Promise<string> {
  const entry = { n: 0, group: "", via: "http" } as const;
  return (await wire.send(entry, JSON.stringify({ jsonrpc: "2.0", id: 1, ...request }))).body;
}

function missingState(line: string): number | undefined {
  const number = NO_STATE.exec(line)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Returns the request about the newest block; none for a request that names its block by a hash. */
function atNewest(entry: Entry, missing: number | undefined, newest: number): readonly Request[] {
  if (missing === undefined) return [];
  const { method, params } = JSON.parse(requestOf(entry)) as Request; // of a recorded request
  const older: readonly unknown[] = [missing, missing + 1].flatMap((number) => [number, hexNumber(number)]);
  const moved = params.map((value) => (older.includes(value) ? hexNumber(newest) : value));
  return moved.some((value, i) => value !== params[i]) ? [{ method, params: moved }] : [];
}

function hexNumber(number: number): string {
  return `0x${number.toString(16)}`;
}

/** Returns reads of the first block behind the imported state: traces, proofs, dumps, and logs of all blocks. */
function readsOf({ header, hash, transactions }: Block): readonly Request[] {
  const [at, before] = [hexNumber(header.number), hexNumber(header.number - 1)];
  const block = toHex(hash);
  const addresses = transactions.flatMap(({ to }) => (to === undefined ? [] : [toHex(to)]));
  expect(addresses.length).toBeGreaterThan(3);
  return [
    { method: "debug_traceBlockByNumber", params: [at] },
    ...["callTracer", "prestateTracer"].map((tracer) => ({
      method: "debug_traceBlockByHash",
      params: [block, { tracer }],
    })),
    ...transactions.map((each) => ({
      method: "debug_traceTransaction",
      params: [toHex(each.hash), { tracer: "callTracer" }],
    })),
    ...addresses.flatMap((address) => [
      { method: "debug_storageRangeAt", params: [block, 1, address, "0x00", 10] },
      ...[before, at].map((number) => ({ method: "eth_getProof", params: [address, ["0x0"], number] })),
    ]),
    ...["trace_block", "debug_getModifiedAccountsByNumber", "ots_getBlockDetails", "debug_dumpBlock"].map(
      (method) => ({ method, params: [at] }),
    ),
    { method: "trace_replayBlockTransactions", params: [at, ["trace", "stateDiff"]] },
    { method: "eth_getLogs", params: [{ fromBlock: "0x0", toBlock: at }] },
    { method: "klay_getRewards", params: [at] },
  ];
}
