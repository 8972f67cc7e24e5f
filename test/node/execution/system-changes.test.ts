/** Tests of the state changes of single blocks: rebalancing, registries, credit. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, fixedBytes } from "../../../node/bytes/integer.ts";
import { parseChainConfig } from "../../../node/config/chain-config.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { parseRegistry } from "../../../node/config/registry-config.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { registrySlots } from "../../../node/execution/registry.ts";
import { REGISTRY_CODE } from "../../../node/execution/registry-code.ts";
import { applySystemChanges } from "../../../node/execution/system-changes.ts";
import { REGISTRY } from "../../../node/governance/system-contracts.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import { FAIL_KEY } from "../../../node/model/account-key.ts";
import { openState } from "../../../node/state/open-state.ts";
import { memoryTries } from "../../../node/state/trie/generations.ts";
import type { World } from "../../../node/state/world/world.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { answeringCode } from "../../support/contract-code.ts";
import { abiAnswer, addressWord, aReader, type FakeContract } from "../../support/contracts.ts";
import { aGenesisBlock, aHeader, aValidator } from "../../support/headers.ts";

/** Hash of the code after the replacement (`blockchain/system/constant_test.go@v2.2.2`). */
const CREDIT_V2_HASH = "0xb45837dfb0d4edd411a8962780361c0b984e2a25a5a03be465ae9731a5d5c0ab";

const address = (number: number): Uint8Array => fixedBytes(number, 20);
const [old, older, fresh, contract, nobody] = [1, 2, 3, 0x5000, 0].map(address) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const validators = [aValidator(1)];

async function aWorld(): Promise<World> {
  const state = await openState({ chain: createMemoryStore(), trie: memoryTries() });
  await state.ready;
  const world = state.begin();
  world.addBalance(old, 70n);
  world.addBalance(older, 30n);
  world.addBalance(fresh, 5n);
  world.endTransaction();
  return world;
}

function finalizeBlock(config: object, reader = aReader([])) {
  return {
    config: parseChainConfig({ chainId: 1, ...config }),
    header: { ...aHeader(aGenesisBlock(validators), validators), number: 9 },
    blockHash: () => undefined,
    parentContracts: () => reader,
  };
}

interface Agreement {
  readonly zeroed?: readonly Uint8Array[];
  readonly allocated?: readonly (readonly [Uint8Array, bigint])[];
  readonly block?: bigint;
  readonly status?: bigint;
  readonly approved?: boolean;
}

/** A contract of KIP-160 that says what was agreed. */
function kip160(agreement: Agreement): FakeContract {
  const { zeroed = [old, older], allocated = [[fresh, 500n]], block = 9n, status = 2n } = agreement;
  return {
    address: contract,
    answers: [
      { call: ["getZeroedCount()"], answer: abiAnswer(BigInt(zeroed.length)) },
      ...zeroed.map((each, i) => ({
        call: ["zeroeds(uint256)", BigInt(i)] as [string, bigint],
        answer: abiAnswer(addressWord(each)),
      })),
      { call: ["getAllocatedCount()"], answer: abiAnswer(BigInt(allocated.length)) },
      ...allocated.map(([each, amount], i) => ({
        call: ["allocateds(uint256)", BigInt(i)] as [string, bigint],
        answer: abiAnswer(addressWord(each), amount),
      })),
      { call: ["rebalanceBlockNumber()"], answer: abiAnswer(block) },
      { call: ["status()"], answer: abiAnswer(status) },
      {
        call: ["checkZeroedsApproved()"],
        answer: agreement.approved === false ? undefined : new Uint8Array(0),
      },
    ],
  };
}

const balances = (world: World) => [old, older, fresh].map((each) => world.balance(each));

describe("the second rebalancing", () => {
  const config = { kip160CompatibleBlock: 9, kip160ContractAddress: toHex(contract) };

  test("empties funds and fills others with what was agreed, whatever they had", async () => {
    const world = await aWorld();
    applySystemChanges(world, finalizeBlock(config, aReader([kip160({})])));
    expect(balances(world)).toEqual([0n, 0n, 500n]);
    expect(world.nonce(nobody)).toBe(0n);
  });

  test("creates nothing at the block of the first one", async () => {
    const both = { ...config, kip103CompatibleBlock: 9 };
    const after = async (amount: bigint): Promise<readonly bigint[]> => {
      const world = await aWorld();
      applySystemChanges(world, finalizeBlock(both, aReader([kip160({ allocated: [[fresh, amount]] })])));
      return balances(world);
    };
    expect(await after(100n)).toEqual([0n, 0n, 100n]);
    expect(await after(101n)).toEqual([70n, 30n, 5n]);
  });

  test("takes place at its block only", async () => {
    const world = await aWorld();
    applySystemChanges(world, finalizeBlock({ ...config, kip160CompatibleBlock: 8 }, aReader([kip160({})])));
    expect(balances(world)).toEqual([70n, 30n, 5n]);
  });

  test.each<[string, Agreement | undefined]>([
    ["the contract is not there", undefined],
    ["it was agreed on for another block", { block: 8n }],
    ["it is not approved", { status: 1n }],
    ["it is done already", { status: 3n }],
    ["an owner has taken the approval back", { approved: false }],
  ])("changes nothing when %s", async (_what, agreement) => {
    const world = await aWorld();
    applySystemChanges(
      world,
      finalizeBlock(config, aReader(agreement === undefined ? [] : [kip160(agreement)])),
    );
    expect(balances(world)).toEqual([70n, 30n, 5n]);
  });
});

describe("the first rebalancing", () => {
  const config = { kip103CompatibleBlock: 9, kip103ContractAddress: toHex(contract) };
  const agreed = [
    ["getRetiredCount()", [1n]],
    ["retirees(uint256)", [addressWord(old)]],
    ["getNewbieCount()", [1n]],
    ["newbies(uint256)", [addressWord(fresh), 60n]],
    ["rebalanceBlockNumber()", [9n]],
    ["status()", [2n]],
  ] as const;

  async function changed(code: Uint8Array | undefined): Promise<World> {
    const world = await aWorld();
    if (code !== undefined) {
      world.setAccount(contract, { ...emptyAccount(), kind: "contract", key: FAIL_KEY, nonce: 1n });
      world.setCode(contract, code);
    }
    applySystemChanges(world, finalizeBlock(config));
    return world;
  }

  test("empties and fills funds, and each call raises the nonce of the zero address", async () => {
    const world = await changed(answeringCode(agreed));
    expect(balances(world)).toEqual([0n, 30n, 60n]);
    expect(world.nonce(nobody)).toBe(7n);
  });

  test("is rejected when it would create more than it removes; the nonce stays raised", async () => {
    const more = agreed.map(([name, words]) =>
      name === "newbies(uint256)" ? ([name, [addressWord(fresh), 71n]] as const) : ([name, words] as const),
    );
    const world = await changed(answeringCode(more));
    expect(balances(world)).toEqual([70n, 30n, 5n]);
    expect(world.nonce(nobody)).toBe(7n);
  });

  test("ends with the first call without a result", async () => {
    const world = await changed(answeringCode(agreed.slice(0, 1)));
    expect(balances(world)).toEqual([70n, 30n, 5n]);
    expect(world.nonce(nobody)).toBe(2n);
    expect((await changed(undefined)).nonce(nobody)).toBe(1n);
  });
});

describe("the registry", () => {
  const genesis = parseGenesis(
    readFileSync(
      fileURLToPath(new URL("../../vectors/chains/osaka-randao/genesis.json", import.meta.url)),
      "utf8",
    ),
  );
  const recorded = genesis.alloc.find((account) => toHex(account.address) === toHex(REGISTRY));

  test("has the code and the storage that a recorded chain has in its block 0", () => {
    expect(recorded?.code).toEqual(REGISTRY_CODE);
    const slots = registrySlots(genesis.config.randaoRegistry).map(([slot, value]) => [slot, value]);
    const expected = recorded?.storage?.map(([slot, value]) => [slot, value].map(bytesToBigint));
    expect(new Map(slots as [bigint, bigint][])).toEqual(new Map(expected as [bigint, bigint][]));
  });

  test("is installed at the first block with randomness only", async () => {
    const config = { randaoCompatibleBlock: 9, randaoRegistry: { records: { KIP113: toHex(old) } } };
    const world = await aWorld();
    applySystemChanges(world, finalizeBlock(config));
    expect(world.code(REGISTRY)).toEqual(REGISTRY_CODE);
    expect(world.account(REGISTRY)).toMatchObject({ kind: "contract", nonce: 0n, codeInfo: 0 });
    const later = await aWorld();
    applySystemChanges(later, finalizeBlock({ ...config, randaoCompatibleBlock: 8 }));
    expect(later.exists(REGISTRY)).toBe(false);
  });

  test("keeps names of any length in Solidity's layout", () => {
    const name = "a name of more than thirty-one bytes";
    const registry = parseRegistry({ records: { [name]: toHex(old) } });
    const slots = new Map(registrySlots(registry).map(([slot, value]) => [slot, value]));
    const first = bytesToBigint(keccak256(fixedBytes(1, 32)));
    const text = bytesToBigint(keccak256(fixedBytes(first, 32)));
    expect(slots.get(first)).toBe(BigInt(name.length * 2 + 1));
    expect(Buffer.from(fixedBytes(slots.get(text) ?? 0n, 32)).toString()).toBe(name.slice(0, 32));
    expect(Buffer.from(fixedBytes(slots.get(text + 1n) ?? 0n, 32)).toString()).toBe(
      `${name.slice(32)}${"\0".repeat(28)}`,
    );
  });
});

/** A world after the changes of block 9, with an account of the credit contract or without one. */
async function worldWithCredit(config: object, hasCode = true): Promise<World> {
  const world = await aWorld();
  if (hasCode) {
    world.setAccount(nobody, {
      ...emptyAccount(),
      kind: "contract",
      key: FAIL_KEY,
      balance: 7n,
      nonce: 4n,
    });
    world.setCode(nobody, Uint8Array.of(1));
    world.setSlot(nobody, 1n, 2n);
  }
  applySystemChanges(world, finalizeBlock(config));
  return world;
}

describe("the credit contract", () => {
  const mainnet = { chainId: 8217, kaiaCompatibleBlock: 10, osakaCompatibleBlock: 20 };

  test("of the main network has other code from the block before Kaia on", async () => {
    const world = await worldWithCredit(mainnet);
    expect(toHex(keccak256(world.code(nobody)))).toBe(CREDIT_V2_HASH);
    expect(world.account(nobody)).toMatchObject({ kind: "contract", balance: 7n, nonce: 4n });
  });

  test("is an externally owned account from the block before Osaka on, with its balance and nonce", async () => {
    const world = await worldWithCredit({ ...mainnet, kaiaCompatibleBlock: 3, osakaCompatibleBlock: 10 });
    expect(world.account(nobody)).toEqual({ ...emptyAccount(), balance: 7n, nonce: 4n });
    expect(world.code(nobody)).toHaveLength(0);
    expect(world.slot(nobody, 1n)).toBe(0n);
  });

  test.each<[string, object]>([
    ["another chain", { ...mainnet, chainId: 1001, osakaCompatibleBlock: 10 }],
    ["another block", { ...mainnet, kaiaCompatibleBlock: 9, osakaCompatibleBlock: 11 }],
  ])("of %s stays", async (_what, config) => {
    const world = await worldWithCredit(config);
    expect(world.code(nobody)).toEqual(Uint8Array.of(1));
    expect(world.account(nobody)?.kind).toBe("contract");
  });

  test("that is not there is not made", async () => {
    expect((await worldWithCredit({ ...mainnet, osakaCompatibleBlock: 10 }, false)).exists(nobody)).toBe(
      false,
    );
  });
});
