/**
 * Tests of the replays: one transaction after the other on a chain of its own, and all transactions of recorded chains
 * against the state before and after their blocks.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { wordBytes } from "../../../node/bytes/word.ts";
import { storeReading } from "../../../node/calls/chain-reading.ts";
import type { Replay } from "../../../node/calls/traces/replays.ts";
import type { StateDiff, ValueDiff } from "../../../node/calls/traces/state-diff.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { flatTraceMethods } from "../../../node/rpc/flat-traces.ts";
import type { World } from "../../../node/state/world/world.ts";
import { askRow } from "../../support/ask-row.ts";
import { signAuthorization } from "../../support/authorizations.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { assemble } from "../../support/evm.ts";
import { addressOf, aKey, aSent, PRICE, type Sending } from "../../support/execution.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";
import { CHAIN_ID, makeBlock, makerGenesis } from "../../support/transfer-chain.ts";

const RICH = 10n ** 21n;
const hex = (value: bigint | number): string => `0x${value.toString(16)}`;
const word = (value: number): string => toHex(wordBytes(BigInt(value)));
const at = (name: number): Uint8Array => fixedBytes(name, 20);
const CONTRACTS = {
  /** Writes a new slot, a changed one and a cleared one; one more is written as it was. */
  writer: {
    at: at(0x1001),
    code: "5 1 SSTORE 6 2 SSTORE 0 3 SSTORE 4 4 SSTORE",
    storage: { 2: 1, 3: 3, 4: 4 },
  },
  /** Sends its value to an address without an account. */
  forwarder: { at: at(0x1002), code: "0 0 0 0 CALLVALUE 0x9999 GAS CALL", storage: {} },
  /** Destroys itself. */
  mortal: { at: at(0x1003), code: "0x8888 SELFDESTRUCT", storage: {} },
  /** Writes, then reverts with a byte. */
  reverter: { at: at(0x1004), code: "5 1 SSTORE 7 0 MSTORE8 1 0 REVERT", storage: {} },
  /** Never ends. */
  endless: { at: at(0x1005), code: "start: @start JUMP", storage: {} },
  /** Calls itself as deep as its gas lasts. */
  deep: { at: at(0x1006), code: "0 0 0 0 0 ADDRESS GAS CALL", storage: {} },
  /** Writes a slot for each count. */
  wide: { at: at(0x1007), code: "start: 1 MSIZE SSTORE 0 MSIZE MSTORE @start JUMP", storage: {} },
} as const;

type Replayed = Replay & { readonly transactionHash?: string };

const ALL = ["trace", "vmTrace", "stateDiff"];

function askOf(
  chain: TestChain,
  maxBytes = 25_000_000,
): (name: string, ...params: unknown[]) => Promise<unknown> {
  const rows = flatTraceMethods({ open: storeReading(chain.store), maxBytes });
  return (name, ...params) => askRow(rows, name, ...params);
}

/** A chain with the contracts above, where keys 1 to 3 are rich, at these forks. */
async function aChainAt(forks: string, reward: object = {}): Promise<TestChain> {
  const alloc = Object.fromEntries([
    ...[1, 2, 3].map((key) => [toHex(addressOf(key)), { balance: hex(RICH) }]),
    ...Object.values(CONTRACTS).map(({ at: address, code, storage }) => [
      toHex(address),
      {
        balance: "0x7",
        code: toHex(assemble(code)),
        storage: Object.fromEntries(
          Object.entries(storage).map(([key, value]) => [word(Number(key)), word(value)]),
        ),
      },
    ]),
  ]);
  const config = Object.fromEntries(forks.split(" ").map((name) => [`${name}CompatibleBlock`, 0]));
  return await aChain(parseGenesis(makerGenesis(alloc, config, reward)));
}

/** Makes a block of one transaction by key 1. Returns the transaction's replay and the fee that was paid. */
async function replayOf(chain: TestChain, change: Sending, types: readonly string[] = ["stateDiff"]) {
  const nonce = chain.state.begin().nonce(addressOf(1));
  const tx = aSent({ chainId: BigInt(CHAIN_ID), nonce, ...change });
  await makeBlock(chain, chain.state, [tx]);
  await chain.writer.settle();
  const ask = askOf(chain);
  const replayed = (await ask("trace_replayTransaction", toHex(tx.hash), types)) as Replayed;
  const [receipt] = chain.chain.receipts(chain.chain.head().header.number) ?? [];
  return { replayed, fee: (receipt?.gasUsed ?? 0n) * PRICE, hash: toHex(tx.hash), ask };
}

const differs = (from: bigint | number, to: bigint | number): ValueDiff => ({
  "*": { from: hex(from), to: hex(to) },
});
const FORKS = "istanbul london ethTxType magma kore shanghai cancun kaia prague osaka";

describe("a transaction", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await aChainAt(FORKS);
  });
  afterAll(async () => chain[Symbol.asyncDispose]());
  const balanceOf = (key: number): bigint => chain.state.begin().balance(addressOf(key));

  test("that moves coins changes the sender by value and fee, and creates the recipient", async () => {
    const [before, nonce] = [balanceOf(1), chain.state.begin().nonce(addressOf(1))];
    const { replayed, fee } = await replayOf(chain, { value: 5n }, ALL);
    expect(replayed.output).toBe("0x");
    expect(replayed.stateDiff).toEqual({
      [toHex(addressOf(1))]: {
        balance: differs(before, before - fee - 5n),
        nonce: differs(nonce, nonce + 1n),
        code: "=",
        storage: {},
      },
      [toHex(addressOf(9))]: {
        balance: { "+": "0x5" },
        nonce: { "+": "0x0" },
        code: { "+": "0x" },
        storage: {},
      },
    });
    expect(replayed.vmTrace).toEqual({ code: "0x", ops: [] });
    expect(replayed.trace).toEqual([
      expect.objectContaining({ type: "call", subtraces: 0, traceAddress: [], action: expect.anything() }),
    ]);
    expect(Object.keys(replayed.trace[0] ?? {})).not.toContain("blockHash");
  });

  test("that writes storage has the changed slots with both values", async () => {
    const { replayed } = await replayOf(chain, { to: CONTRACTS.writer.at });
    const inSlot = (from: number, to: number): ValueDiff => ({ "*": { from: word(from), to: word(to) } });
    expect(replayed.stateDiff?.[toHex(CONTRACTS.writer.at)]).toEqual({
      balance: "=",
      nonce: "=",
      code: "=",
      storage: { [word(1)]: inSlot(0, 5), [word(2)]: inSlot(1, 6), [word(3)]: inSlot(3, 0) },
    });
    expect(replayed).toMatchObject({ trace: [], vmTrace: null });
  });

  test("that creates a contract has its code, and its slots are new", async () => {
    const init = assemble("8 1 SSTORE 0 0 MSTORE8 1 0 RETURN");
    const { replayed } = await replayOf(chain, { to: undefined, input: init }, ALL);
    const created = Object.entries(replayed.stateDiff ?? {}).find(([, { code }]) => code !== "=");
    expect(created?.[1]).toEqual({
      balance: { "+": "0x0" },
      nonce: { "+": "0x1" },
      code: { "+": "0x00" },
      storage: { [word(1)]: { "+": word(8) } },
    });
    expect([replayed.output, replayed.vmTrace?.code]).toEqual(["0x00", toHex(init)]);
    expect(replayed.trace).toMatchObject([{ type: "create", result: { address: created?.[0] } }]);
  });

  test("that moves coins by an inner call changes every account on the way, and shows the call inside its opcode", async () => {
    const { replayed } = await replayOf(chain, { to: CONTRACTS.forwarder.at, value: 3n }, ALL);
    expect(replayed.stateDiff?.[toHex(at(0x9999))]?.balance).toEqual({ "+": "0x3" });
    expect(Object.keys(replayed.stateDiff ?? {})).toEqual([addressOf(1), at(0x9999)].map(toHex));
    expect(replayed.vmTrace?.ops.map(({ sub }) => sub).filter((sub) => sub !== null)).toEqual([
      { code: "0x", ops: [] },
    ]);
    expect(replayed.trace).toHaveLength(2);
  });

  test("that is reverted changes the sender alone, and its output is the data", async () => {
    const { replayed } = await replayOf(chain, { to: CONTRACTS.reverter.at, value: 3n }, ALL);
    expect(Object.keys(replayed.stateDiff ?? {})).toEqual([toHex(addressOf(1))]);
    expect(replayed.output).toBe("0x07");
    expect(replayed.trace).toMatchObject([{ error: "Reverted" }]);
  });

  test("with a fee payer changes the payer's balance by the fee", async () => {
    const [sender, payer] = [balanceOf(1), balanceOf(2)];
    const { replayed, fee } = await replayOf(chain, { code: 0x09, paidBy: [2], value: 4n });
    expect(replayed.stateDiff?.[toHex(addressOf(1))]?.balance).toEqual(differs(sender, sender - 4n));
    expect(replayed.stateDiff?.[toHex(addressOf(2))]).toEqual({
      balance: differs(payer, payer - fee),
      nonce: "=",
      code: "=",
      storage: {},
    });
  });

  test("that delegates for another account changes its nonce and code", async () => {
    const content = { chainId: BigInt(CHAIN_ID), address: CONTRACTS.writer.at, nonce: 0n };
    const fields = { accessList: [], authorizationList: [signAuthorization(content, aKey(3))] };
    const { replayed } = await replayOf(chain, { code: 0x7804, fields });
    expect(replayed.stateDiff?.[toHex(addressOf(3))]).toEqual({
      balance: "=",
      nonce: differs(0, 1),
      code: { "*": { from: "0x", to: `0xef0100${toHex(CONTRACTS.writer.at).slice(2)}` } },
      storage: {},
    });
  });

  test("without frames, a cancellation, is a call of the sender, without opcodes", async () => {
    const { replayed } = await replayOf(chain, { code: 0x38, to: undefined }, ALL);
    expect(replayed).toMatchObject({ output: "0x", vmTrace: { code: "0x", ops: [] } });
    expect(replayed.trace).toHaveLength(1);
    expect(Object.keys(replayed.stateDiff ?? {})).toEqual([toHex(addressOf(1))]);
  });

  test("that calls hundreds of levels deep is shown to its end", async () => {
    const { replayed } = await replayOf(chain, { to: CONTRACTS.deep.at, gas: 100_000_000n }, ["vmTrace"]);
    let [depth, frame] = [0, replayed.vmTrace];
    for (; frame !== null; depth++) frame = frame.ops.find(({ sub }) => sub !== null)?.sub ?? null;
    expect(depth).toBeGreaterThan(300);
  });

  test.each([
    ["vmTrace", CONTRACTS.endless],
    ["stateDiff", CONTRACTS.wide],
    ["trace", CONTRACTS.deep],
  ])("beyond the size of an answer fails: %s", async (type, { at: to }) => {
    const { replayed, hash } = await replayOf(chain, { to, gas: 5_000_000n }, []);
    expect(replayed).toEqual({ output: "0x", stateDiff: null, trace: [], vmTrace: null });
    const refused = { code: -32003, message: "trace is larger than 20000 bytes" };
    await expect(askOf(chain, 20_000)("trace_replayTransaction", hash, [type])).rejects.toMatchObject(
      refused,
    );
  });

  test("that is unknown is null, and other types are refused", async () => {
    const ask = askOf(chain);
    const unknown = `0x${"11".repeat(32)}`;
    expect(await ask("trace_replayTransaction", unknown, ["trace"])).toBeNull();
    const names = 'unknown trace type "statediff": use trace, vmTrace, stateDiff';
    for (const [name, place] of [
      ["trace_replayTransaction", unknown],
      ["trace_replayBlockTransactions", "0x1"],
    ] as const)
      await expect(ask(name, place, ["trace", "statediff"])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(names),
      });
    await expect(ask("trace_replayTransaction", unknown, "trace")).rejects.toMatchObject({ code: -32602 });
    expect(await ask("trace_replayBlockTransactions", "0x0", ALL)).toEqual([]);
    await expect(ask("trace_replayBlockTransactions", "0xffffff", ALL)).rejects.toMatchObject({
      code: -32000,
    });
  });
});

test("a contract that destroyed itself is gone, before Cancun", async () => {
  await using chain = await aChainAt("istanbul london ethTxType magma kore shanghai");
  const { replayed } = await replayOf(chain, { to: CONTRACTS.mortal.at }, ALL);
  expect(replayed.stateDiff?.[toHex(CONTRACTS.mortal.at)]).toEqual({
    balance: { "-": "0x7" },
    nonce: { "-": "0x0" },
    code: { "-": toHex(assemble(CONTRACTS.mortal.code)) },
    storage: {},
  });
  expect(replayed.stateDiff?.[toHex(at(0x8888))]?.balance).toEqual({ "+": "0x7" });
  expect(replayed.trace).toMatchObject([{ type: "call" }, { type: "suicide", result: null }]);
});

test("the receiver of a fee that is paid with the transaction is changed by it", async () => {
  await using chain = await aChainAt("istanbul", { deferredTxFee: false });
  const { replayed, fee } = await replayOf(chain, { value: 1n });
  const others = Object.entries(replayed.stateDiff ?? {}).filter(
    ([address]) => !([addressOf(1), addressOf(9)].map(toHex) as readonly string[]).includes(address),
  );
  expect(others.map(([, { balance }]) => balance)).toEqual([{ "+": hex(fee) }]);
});

/** By default the newest forks alone. */
const CHAINS = process.env["KNIT_ALL_CASES"] === "1" ? ["prague", "cancun", "kore"] : ["prague"];

describe.each(CHAINS)("the recorded chain %s", (name) => {
  const folder = `test/vectors/chains/${name}`;
  const blocks = readRecordedChain(folder).blocks.slice(1).map(decodeBlock);
  let chain: TestChain;
  beforeAll(async () => {
    chain = await aChain(parseGenesis(readFileSync(`${folder}/genesis.json`, "utf8")));
    for (const block of blocks) await chain.writer.insert(block);
    await chain.writer.settle();
  });
  afterAll(async () => chain[Symbol.asyncDispose]());

  test("has in its differences what its blocks changed, each beginning where the one before it ended", async () => {
    const ask = askOf(chain);
    let compared = 0;
    for (const { header, transactions } of blocks) {
      const all = (await ask(
        "trace_replayBlockTransactions",
        hex(header.number),
        ALL,
      )) as readonly Replayed[];
      expect(all.map(({ transactionHash }) => transactionHash)).toEqual(
        transactions.map(({ hash }) => toHex(hash)),
      );
      const [before, after] = [header.number - 1, header.number].map((number) => chain.state.worldAt(number));
      const known = new Map<string, string>();
      for (const [place, [from, to]] of all.flatMap(({ stateDiff }) => placesOf(stateDiff ?? {}))) {
        expect([place, from]).toEqual([place, known.get(place) ?? valueAt(before, place)]);
        known.set(place, to);
      }
      for (const [place, value] of known) {
        if (place.startsWith(toHex(header.rewardbase))) continue;
        compared++;
        expect([place, value]).toEqual([place, valueAt(after, place)]);
      }
    }
    expect(compared).toBeGreaterThan(150);
  }, 120_000);
});

/** Lists the changed places, such as `0x12… balance` and `0x12… 0x00…07`, with the values before and after. */
function placesOf(diff: StateDiff): (readonly [string, readonly [string, string]])[] {
  return Object.entries(diff).flatMap(([address, { storage, ...amounts }]) =>
    Object.entries({ ...amounts, ...storage }).flatMap(([member, change]) => {
      if (change === "=") return [];
      const nothing = member === "code" ? "0x" : member.length > 10 ? word(0) : "0x0";
      return [[`${address} ${member}`, sidesOf(change, nothing)] as const];
    }),
  );
}

/** The values on both sides of a difference; `nothing` where there was no account. */
function sidesOf(change: Exclude<ValueDiff, "=">, nothing: string): readonly [string, string] {
  if ("+" in change) return [nothing, change["+"]];
  if ("-" in change) return [change["-"], nothing];
  const { from, to } = change["*"];
  return [from, to];
}

/** The value of such a place in a world. */
function valueAt(world: World | undefined, place: string): string {
  const [name = "", member = ""] = place.split(" ");
  const address = fromHex(name);
  if (world === undefined) return "";
  if (member === "balance" || member === "nonce") return hex(world[member](address));
  return member === "code"
    ? toHex(world.code(address))
    : toHex(wordBytes(world.slot(address, BigInt(member))));
}
