/** Tests of random worlds against a model and an independent trie. */
import { expect, test } from "@jest/globals";
import type { Hash } from "../../../node/bytes/brands.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import { openState } from "../../../node/state/open-state.ts";
import type { World } from "../../../node/state/world/world.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { anAddress, keptTries, makeBlock, type Opened } from "./fixture.ts";
import { aRandom, type Random } from "./random.ts";
import {
  copyOf,
  emptyModel,
  endTransaction,
  type ModelWorld,
  modelRoot,
  touchAccount,
} from "./world-model.ts";

const ROUNDS = Number(process.env["KNIT_WORLD_ROUNDS"] ?? 1);
const SEED = Number(process.env["KNIT_SEED"] ?? 1);
const ACCOUNTS = 14;
const SLOTS = 30;

/** A world and the model of it, changed alike. */
interface Pair {
  readonly world: World;
  readonly model: ModelWorld;
  readonly random: Random;
}

type Step = (pair: Pair, address: Uint8Array) => void;

/** By likelihood. */
const STEPS: readonly (readonly [number, Step])[] = [
  [4, pay],
  [4, spend],
  [12, setSlot],
  [
    2,
    (pair, address) => {
      pair.world.setNonce(address, 5n);
      touchAccount(pair.model, address).nonce = 5n;
    },
  ],
  [2, create],
  [
    2,
    (pair, address) => {
      pair.world.destroy(address);
      destroyInModel(pair.model, address);
    },
  ],
  [
    2,
    ({ world, model }) => {
      world.endTransaction();
      endTransaction(model);
    },
  ],
];
const ALL_STEPS = STEPS.flatMap(([count, step]) => Array.from({ length: count }, () => step));

function pay({ world, model, random }: Pair, address: Uint8Array): void {
  const amount = BigInt(random.below(3));
  world.addBalance(address, amount);
  touchAccount(model, address).balance += amount;
}

function spend({ world, model }: Pair, address: Uint8Array): void {
  const balance = world.balance(address);
  expect(balance).toBe(model.accounts.get(toHex(address))?.balance ?? 0n);
  if (balance === 0n) return;
  world.subtractBalance(address, balance);
  touchAccount(model, address).balance = 0n;
}

function setSlot({ world, model, random }: Pair, address: Uint8Array): void {
  const key = BigInt(random.below(SLOTS));
  const value = random.below(3) === 0 ? 0n : BigInt(random.below(2 ** 30)) << BigInt(8 * random.below(28));
  const before = model.accounts.get(toHex(address))?.slots.get(key) ?? 0n;
  expect(world.slot(address, key)).toBe(before);
  const isThere = model.accounts.has(toHex(address));
  world.setSlot(address, key, value);
  if (isThere && before === value) return;
  touchAccount(model, address).slots.set(key, value);
}

function create({ world, model, random }: Pair, address: Uint8Array): void {
  const code = new Uint8Array(1 + random.below(60)).fill(random.below(5));
  const account = touchAccount(model, address);
  world.setAccount(address, {
    ...(world.account(address) ?? emptyAccount()),
    kind: "contract",
    nonce: account.nonce + 1n,
  });
  world.setCode(address, code);
  Object.assign(account, { nonce: account.nonce + 1n, code, isContract: true });
}

function destroyInModel(model: ModelWorld, address: Uint8Array): void {
  if (!model.accounts.has(toHex(address))) return;
  touchAccount(model, address).balance = 0n;
  model.destroyed.add(toHex(address));
}

/** Random steps with marks to come back to, nested up to three deep. */
function randomSteps(pair: Pair, depth: number): void {
  const { world, random, model } = pair;
  for (let i = random.below(40); i > 0; i--) {
    const address = anAddress(20 + random.below(ACCOUNTS));
    if (depth === 0 || random.below(8) > 0) {
      const step = ALL_STEPS[random.below(depth === 3 ? ALL_STEPS.length : ALL_STEPS.length - 2)] ?? pay;
      step(pair, address);
      continue;
    }
    const mark = world.snapshot();
    const copy = copyOf(model);
    randomSteps(pair, depth - 1);
    if (random.below(2) === 0) continue;
    world.revert(mark);
    Object.assign(model, copy);
  }
}

async function expectAlike(seed: number, blocks: number): Promise<void> {
  const random = aRandom(seed);
  const chain = createMemoryStore();
  const trie = keptTries();
  const open = async (): Promise<Opened> => {
    const state = await openState({
      chain,
      trie,
      flushInterval: 3,
      gatherBytes: 1,
      retention: 4,
      cachedAccounts: 4,
    });
    await state.ready;
    return { chain, state, [Symbol.asyncDispose]: () => state[Symbol.asyncDispose]() };
  };
  let node = await open();
  let model = emptyModel();
  await makeBlock(node, () => undefined);
  const roots = [node.state.root];
  const rootAt = (number: number): Hash => roots[number] as Hash; // each block has one
  for (let n = 1; n <= blocks; n++) {
    if (random.below(4) === 0) {
      const world = node.state.begin();
      randomSteps({ world, model: copyOf(model), random }, 3);
      node.state.seal(world).discard();
    }
    await makeBlock(node, (world) => {
      randomSteps({ world, model, random }, 3);
      endTransaction(model);
    });
    expect(toHex(node.state.root)).toBe(await modelRoot(model));
    roots.push(node.state.root);
    if (random.below(5) > 0) continue;
    await node.state[Symbol.asyncDispose]();
    node = await open();
    await node.state.verify({ rootAt });
    model = copyOf(model);
  }
  expect(await node.state.verify({ rootAt })).toMatchObject({
    strayNodes: 0,
    straySlots: 0,
    accounts: model.accounts.size,
  });
  await node.state[Symbol.asyncDispose]();
}

test("random worlds with destructions, new lives and reverts lead to an independent trie's roots", async () => {
  for (let round = 0; round < ROUNDS; round++) await expectAlike(SEED * 1000 + round, 40);
}, 1_800_000);
