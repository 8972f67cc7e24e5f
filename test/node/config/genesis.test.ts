/** Tests of the genesis file. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import {
  checkGenesis,
  DEFAULT_BLOCK_SCORE,
  MAX_GENESIS_LENGTH,
  parseGenesis,
} from "../../../node/config/genesis.ts";
import { genesisGovernance } from "../../../node/config/genesis-governance.ts";

const ADDRESS = "4dea0102ebbd36ef3e24b21eff18649b785bd6c1";
const NODE = "d82e7c6091b64d1b84d5db803c76ce267a95b3b5";
const EXTRA = `0x${"00".repeat(32)}d8d594${NODE}80c0`;

interface Sample {
  readonly name: string;
  readonly text: string;
  readonly governanceData?: string;
}

const samples = JSON.parse(
  readFileSync(new URL("../../vectors/samples/genesis.json", import.meta.url), "utf8"),
) as readonly Sample[];

/** A genesis text with members changed. */
function aGenesis(change: object = {}): string {
  return JSON.stringify({ config: { chainId: 1 }, alloc: {}, ...change });
}

function single(extraData: string): string {
  const governance = { governanceMode: "Single", governingNode: `0x${NODE}` };
  return aGenesis({ config: { chainId: 1, governance }, extraData });
}

/** 32 bytes with one in the last place. */
function word(low: number): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? low : 0));
}

function forksAt(start: number): object {
  return { magmaCompatibleBlock: start, koreCompatibleBlock: start };
}

/** The names of the parameters that block 0 of a chain records. */
function names(config: object): readonly string[] {
  const { config: parsed } = parseGenesis(aGenesis({ config: { chainId: 1, ...config } }));
  const json = Buffer.from(genesisGovernance(parsed)).toString();
  return json.match(/(?<=")[a-z0-9]+\.[a-z0-9]+(?=":)/g) ?? [];
}

test("recorded genesis files of all forks give the recorded governance bytes", () => {
  const recorded = samples.filter(({ governanceData }) => governanceData !== undefined);
  expect(recorded).toHaveLength(9);
  for (const { text, governanceData } of recorded) {
    const genesis = parseGenesis(text);
    checkGenesis(genesis);
    expect(toHex(genesisGovernance(genesis.config))).toBe(governanceData);
  }
});

test("the public test network's governance is 449 bytes of JSON", () => {
  const { config, alloc } = parseGenesis(samples.find(({ name }) => name === "kairos")?.text ?? "");
  const governance = Buffer.from(genesisGovernance(config));
  expect(governance.subarray(0, 3).toString("hex")).toBe("b901c1");
  expect(governance.subarray(3).toString()).toMatch(
    /^\{"governance.governancemode":"single",.*"reward.mintingamount":"9600000000000000000",.*\}$/,
  );
  expect(alloc.map(({ code }) => code !== undefined)).toContain(true);
});

test("parameters of later forks are recorded only when they are spelled out and active at block 0", () => {
  const kip71 = { lowerboundbasefee: 1, upperboundbasefee: 2, gastarget: 3, maxblockgasusedforbasefee: 4 };
  const reward = { mintingAmount: 0, minimumStake: 0, kip82ratio: "30/70" };
  const governance = { govParamContract: `0x${ADDRESS}`, kip71, reward };
  expect(names({ ...forksAt(1), governance })).toHaveLength(13);
  expect(names(forksAt(0))).toHaveLength(14);
  const all = names({ ...forksAt(0), governance });
  expect(all).toHaveLength(21);
  expect(all).toEqual(all.toSorted((a, b) => (a < b ? -1 : 1)));
});

test("the flexible reward is recorded when Osaka is active at block 0 and the genesis names it", () => {
  const base = { mintingAmount: 0, minimumStake: 0 };
  const added = (osakaCompatibleBlock: number, reward: object): readonly string[] => {
    const forks = { ...forksAt(0), osakaCompatibleBlock };
    const plain = new Set(names({ ...forks, governance: { reward: base } }));
    return names({ ...forks, governance: { reward: { ...base, ...reward } } }).filter(
      (name) => !plain.has(name),
    );
  };
  const both = { useFlexReward: true, stakingRewardThreshold: 7 };
  expect(added(0, both)).toEqual(["reward.stakingrewardthreshold", "reward.useflexreward"]);
  expect(added(0, { useFlexReward: false, stakingRewardThreshold: 0 })).toEqual([
    "reward.stakingrewardthreshold",
  ]);
  expect(added(0, {})).toEqual([]);
  expect(added(1, both)).toEqual([]);
});

test("an absent field has its default, quantities are hex or decimal", () => {
  expect(parseGenesis(aGenesis())).toMatchObject({
    timestamp: 0,
    blockScore: undefined,
    number: 0n,
    gasUsed: 0n,
    alloc: [],
    extraData: new Uint8Array(0),
    parentHash: new Uint8Array(32),
  });
  expect(DEFAULT_BLOCK_SCORE).toBe(0x20000n);
  expect(parseGenesis(aGenesis({ timestamp: "0x10", blockScore: "1", gasUsed: "" }))).toMatchObject({
    timestamp: 16,
    blockScore: 1n,
    gasUsed: 0n,
  });
});

test("accounts have balance, nonce, code and storage; keys and unknown members are ignored", () => {
  const account = {
    balance: "0x10",
    nonce: "3",
    code: "0x6001",
    storage: { "0x1": "ff" },
    secretKey: "0x00",
    x: [],
  };
  const genesis = parseGenesis(aGenesis({ alloc: { [`0x${ADDRESS.toUpperCase()}`]: account }, coinbase: 5 }));
  expect(genesis.alloc).toEqual([
    {
      address: new Uint8Array(Buffer.from(ADDRESS, "hex")),
      balance: 16n,
      nonce: 3n,
      code: Uint8Array.of(0x60, 1),
      storage: [[word(1), word(255)]],
    },
  ]);
  expect(JSON.stringify(Object.keys(genesis.alloc[0] ?? {}))).not.toContain("secret");
});

test("an address given twice, with and without 0x, counts once, the later one", () => {
  const alloc = { [ADDRESS]: { balance: "1" }, [`0x${ADDRESS}`]: { balance: "2" } };
  expect(parseGenesis(aGenesis({ alloc })).alloc.map(({ balance }) => balance)).toEqual([2n]);
});

test("in single mode the governing node has to be among the validators", () => {
  expect(() => checkGenesis(parseGenesis(single(EXTRA)))).not.toThrow();
  expect(() => checkGenesis(parseGenesis(single(EXTRA.replace(NODE, ADDRESS))))).toThrow(
    "governingNode is not in the validator list",
  );
  for (const extra of ["0x", `0x${"00".repeat(32)}`, `0x${"00".repeat(32)}c0`, `0x${"00".repeat(32)}c180`]) {
    expect(() => checkGenesis(parseGenesis(single(extra)))).toThrow("invalid istanbul header extra-data");
  }
  expect(() => checkGenesis(parseGenesis(aGenesis()))).not.toThrow();
});

test("a genesis above block 0 or with forks out of order is refused", () => {
  expect(() => checkGenesis(parseGenesis(aGenesis({ number: "1" })))).toThrow(
    "can't commit genesis block with number > 0",
  );
  const config = { chainId: 1, istanbulCompatibleBlock: 2, londonCompatibleBlock: 1 };
  expect(() => checkGenesis(parseGenesis(aGenesis({ config })))).toThrow("unsupported fork ordering");
});

test.each<[string, string]>([
  ["not JSON", "{"],
  ["genesis must be an object", "[]"],
  ["genesis has no chain configuration", JSON.stringify({ alloc: {} })],
  ["chainID is not specified", aGenesis({ config: {} })],
  ["missing required field 'alloc' for Genesis", JSON.stringify({ config: { chainId: 1 } })],
  ["missing required field 'balance' for GenesisAccount", aGenesis({ alloc: { [ADDRESS]: {} } })],
  [
    "balance must be a number of 256 bits",
    aGenesis({ alloc: { [ADDRESS]: { balance: `0x1${"0".repeat(64)}` } } }),
  ],
  ["balance must be a number of 256 bits", aGenesis({ alloc: { [ADDRESS]: { balance: "1e3" } } })],
  ["balance must be a text", aGenesis({ alloc: { [ADDRESS]: { balance: 1 } } })],
  ["nonce must be a number of 64 bits", aGenesis({ alloc: { [ADDRESS]: { balance: "0", nonce: "-1" } } })],
  ["alloc must be addresses of 40 hex digits", aGenesis({ alloc: { "0x12": { balance: "0" } } })],
  ["code must be 0x and hex digits", aGenesis({ alloc: { [ADDRESS]: { balance: "0", code: "6001" } } })],
  ["storage must be words", aGenesis({ alloc: { [ADDRESS]: { balance: "0", storage: { "0x1": 5 } } } })],
  [
    "storage must be words",
    aGenesis({ alloc: { [ADDRESS]: { balance: "0", storage: { [`1${"0".repeat(64)}`]: "1" } } } }),
  ],
  ["extraData must be 0x and hex digits", aGenesis({ extraData: "0x0" })],
  ["extraData has at most 204800 bytes, this one 20000000", aGenesis({ extraData: `0x${"00".repeat(2e7)}` })],
  ["parentHash must be a hash", aGenesis({ parentHash: "0x00" })],
  ["timestamp must be a text", aGenesis({ timestamp: 5 })],
  ["timestamp is too large", aGenesis({ timestamp: "0xffffffffffffffff" })],
])("refused: %s", (message, text) => {
  expect(() => parseGenesis(text)).toThrow(
    expect.objectContaining({ name: "ConfigError", message: expect.stringContaining(message) }),
  );
});

test("a genesis longer than the limit is refused before it is read", () => {
  expect(() => parseGenesis(" ".repeat(MAX_GENESIS_LENGTH + 1))).toThrow("at most 67108864 characters");
});
