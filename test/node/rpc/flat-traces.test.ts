/** Tests of the flat traces and of Otterscan's traces, against the call tree of `callTracer` on a recorded chain. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { storeReading } from "../../../node/calls/chain-reading.ts";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { flatTraceMethods } from "../../../node/rpc/flat-traces.ts";
import { otterscanTraceMethods } from "../../../node/rpc/otterscan-traces.ts";
import { traceMethods } from "../../../node/rpc/traces.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";

const FOLDER = "test/vectors/chains/prague";
const blocks = readRecordedChain(FOLDER).blocks.slice(1).map(decodeBlock);

/** A call as `callTracer` prints it. */
interface Call {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly value?: string;
  readonly input: string;
  readonly output?: string;
  readonly error?: string;
  readonly calls?: readonly Call[];
}

/** A trace as `trace_transaction` prints it. */
interface Flat {
  readonly type: string;
  readonly action: Readonly<Record<string, string>>;
  readonly result?: Readonly<Record<string, string>> | null;
  readonly error?: string;
  readonly subtraces: number;
  readonly traceAddress: readonly number[];
}

let chain: TestChain;
const ask = (name: string, ...params: readonly unknown[]): Promise<unknown> => {
  const open = storeReading(chain.store);
  const maxBytes = 25_000_000;
  const limits = { upperGas: 500_000_000n, gasCap: 0n };
  const rows = [
    ...flatTraceMethods({ open, maxBytes }),
    ...otterscanTraceMethods({ open, maxBytes }),
    ...traceMethods({ open, limits, maxBytes, ...rpcProfiles.service.options }),
  ];
  return askRow(rows, name, ...params);
};

beforeAll(async () => {
  chain = await aChain(parseGenesis(readFileSync(`${FOLDER}/genesis.json`, "utf8")));
  for (const block of blocks) await chain.writer.insert(block);
  await chain.writer.settle();
});
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
});

/** Contracts of the Prague fork; other reserved addresses are accounts without code. */
const PRECOMPILE = /^0x0{37}(00[1-9a-f]|01[01]|3f[def])$/;

/** Lists the calls of a tree in their order, but for those of precompiled contracts. */
function listCalls(call: Call, path: readonly number[] = []): { call: Call; path: readonly number[] }[] {
  const inner = (call.calls ?? []).filter(({ to = "" }) => !PRECOMPILE.test(to));
  return [{ call, path }, ...inner.flatMap((each, i) => listCalls(each, [...path, i]))];
}

/** Every third transaction: kinds repeat. */
const hashes = blocks
  .flatMap(({ transactions }) => transactions.map(({ hash }) => toHex(hash)))
  .filter((_, i) => i % 3 === 0);

test("the flat list has every call of the tree, at its place", async () => {
  let inner = 0;
  for (const hash of hashes) {
    const tree = listCalls((await ask("debug_traceTransaction", hash, { tracer: "callTracer" })) as Call);
    const flat = (await ask("trace_transaction", hash)) as readonly Flat[];
    expect(flat.map(({ traceAddress }) => traceAddress)).toEqual(tree.map(({ path }) => path));
    for (const [i, { call }] of tree.entries()) {
      const { type, action, result, error } = flat[i] as Flat; // as many as there are calls
      if (type === "suicide") {
        const { from, to, value } = call;
        expect(action).toEqual({ address: from, refundAddress: to, balance: value });
        expect([call.type, result]).toEqual(["SELFDESTRUCT", null]);
        continue;
      }
      const isCreation = type === "create";
      const kind = isCreation ? action["creationMethod"] : action["callType"];
      expect([kind, action["from"]]).toEqual([call.type.toLowerCase(), call.from]);
      expect(isCreation ? action["init"] : action["input"]).toBe(call.input);
      if (call.error === undefined) expect(isCreation ? result?.["address"] : action["to"]).toBe(call.to);
      expect([error !== undefined, result === undefined]).toEqual(
        call.error === undefined ? [false, false] : [true, true],
      );
      inner += Math.sign(flat[i]?.traceAddress.length ?? 0);
    }
  }
  expect(hashes.length).toBeGreaterThan(20);
  expect(inner).toBeGreaterThan(0);
});

test("a block's list is that of its transactions, and block 0 has none", async () => {
  const block = blocks.find(({ transactions }) => transactions.length > 1) ?? blocks[0];
  const number = `0x${block?.header.number.toString(16)}`;
  const single = (block?.transactions ?? []).map(({ hash }) => ask("trace_transaction", toHex(hash)));
  expect(await ask("trace_block", number)).toEqual((await Promise.all(single)).flat());
  expect(await ask("trace_block", "0x0")).toEqual([]);
});

test("unknown transactions are null, and an unknown block is an error", async () => {
  const unknown = `0x${"11".repeat(32)}`;
  for (const name of ["trace_transaction", "ots_traceTransaction", "ots_getInternalOperations"])
    expect(await ask(name, unknown)).toBeNull();
  expect(await ask("ots_getTransactionError", unknown)).toBeNull();
  await expect(ask("trace_block", "0xffffff")).rejects.toMatchObject({ code: -32000 });
});

test("Otterscan's list has the calls with their depth, and the data of a revert", async () => {
  let reverted = 0;
  for (const hash of hashes) {
    const tree = (await ask("debug_traceTransaction", hash, { tracer: "callTracer" })) as Call;
    const entries = (await ask("ots_traceTransaction", hash)) as readonly (Call & { depth: number })[];
    const calls = entries.length === 0 ? [] : listCalls(tree);
    expect(entries.map(({ type, depth, from }) => [type, depth, from])).toEqual(
      calls.map(({ call, path }) => [call.type, path.length, call.from]),
    );
    const isReverted = tree.error === "execution reverted";
    expect(await ask("ots_getTransactionError", hash)).toBe(isReverted ? (tree.output ?? "0x") : "0x");
    reverted += Number(isReverted);
  }
  expect(reverted).toBeGreaterThan(0);
});
