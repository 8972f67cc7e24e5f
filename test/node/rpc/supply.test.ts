/** Burnt amounts of rebalancings, from the memos of their contracts; recorded transcripts cover the rest. */
import { expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { type SupplyMethodDeps, supplyMethods } from "../../../node/rpc/supply.ts";
import { askRow } from "../../support/ask-row.ts";

const HEAD = 9;
const [kip103, kip160, nobody] = [fixedBytes(0x5007, 20), fixedBytes(0x5008, 20), fixedBytes(0, 20)];

/** ABI encoding of a string. */
function abiText(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const padded = new Uint8Array(Math.ceil(bytes.length / 32) * 32);
  padded.set(bytes);
  return concatBytes(fixedBytes(32, 32), fixedBytes(bytes.length, 32), padded);
}

interface Terms {
  /** Block of the first rebalancing. */
  readonly at?: number;
  readonly contract?: Uint8Array;
  readonly memo?: string;
  readonly chainId?: bigint;
}

/** A chain that minted 1,000 peb and burnt 1, with two rebalancings; the second burnt 7 at block 8. */
function ask(
  number: number,
  { at = 3, contract = kip103, memo, chainId = 9n }: Terms,
  showPartial = false,
): Promise<unknown> {
  const asked = (address: Uint8Array): string | undefined =>
    address[19] === kip103[19] ? memo : '{"retired":{},"burnt": 7}';
  const parts = {
    chain: {
      config: {
        chainId,
        forks: new Map([
          ["kip103CompatibleBlock", at],
          ["kip160CompatibleBlock", 8],
        ]),
        kip103ContractAddress: contract,
        kip160ContractAddress: kip160,
      },
      head: () => ({ header: { number: HEAD } }),
      header: (wanted: number) => (wanted > HEAD ? undefined : { header: { number: wanted } }),
      stateAt: () => ({ account: () => undefined }),
    },
    governance: {
      contracts: (state: number) => ({
        call: (address: Uint8Array) => {
          const text = state === HEAD ? asked(address) : undefined;
          return text === undefined ? undefined : abiText(text);
        },
      }),
    },
    supply: { totals: () => Promise.resolve({ minted: 1_000n, burntFees: 1n }) },
  } as unknown as SupplyMethodDeps; // what is read
  return askRow(supplyMethods(parts), "chain_getTotalSupply", `0x${number.toString(16)}`, showPartial);
}

test.each([
  [HEAD + 1, "block not found"],
  [127, "block not found"],
  [128, "supply checkpoint not found"],
])("an error about the unknown block %i names what the Go node misses first", async (number, message) => {
  await expect(ask(number, {})).rejects.toMatchObject({ message });
});

const NO_MEMO = "cannot determine rebalance (kip103, kip160) burn amount: rebalance memo empty";

test.each<[string, number, Terms, object]>([
  ["before it", 2, {}, { kip103Burn: "0x0", kip160Burn: "0x0", totalSupply: "0x3e7" }],
  [
    "after it, by a note that the newest block has",
    3,
    { memo: '{"burnt":18446744073709551616}' },
    {
      kip103Burn: "0x10000000000000000",
      kip160Burn: "0x0",
      totalBurnt: "0x10000000000000001",
      totalSupply: "-0xfffffffffffffc19",
    },
  ],
  ["after both", 8, { memo: '{"burnt":2}' }, { kip103Burn: "0x2", kip160Burn: "0x7", totalSupply: "0x3de" }],
  [
    "when it made more than it burnt",
    3,
    { memo: '{"burnt":-2}' },
    { kip103Burn: "-0x2", totalBurnt: "-0x1" },
  ],
  ["when it stands at block 0, where none is done", 3, { at: 0 }, { kip103Burn: "0x0" }],
  ["when no contract is named", 3, { contract: nobody }, { kip103Burn: "0x0" }],
  [
    "of the test network, whose note is for people",
    3,
    { chainId: 1001n, memo: "before: 1, after: 2" },
    { kip103Burn: `-0x${3_704_329_462_904_320_084_000_000_000n.toString(16)}` },
  ],
])("a rebalancing %s", async (_what, number, terms, expected) => {
  expect(await ask(number, terms)).toMatchObject(expected);
});

test.each([undefined, "", "before: 1", "[]", '{"burnt":"2x"}', "null"])(
  "no note that can be read: %j",
  async (memo) => {
    const terms: Terms = memo === undefined ? {} : { memo };
    await expect(ask(3, terms)).rejects.toMatchObject({ code: -32000, message: NO_MEMO });
    expect(await ask(3, terms, true)).toMatchObject({
      error: NO_MEMO,
      totalSupply: null,
      totalMinted: "0x3e8",
      totalBurnt: null,
      kip103Burn: null,
      kip160Burn: "0x0",
    });
  },
);
