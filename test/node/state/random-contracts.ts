/** Random changes of contracts, and the answers of a view about them. */
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import type { State, StateView } from "../../../node/state/state.ts";
import type { World } from "../../../node/state/world/world.ts";
import { aWord } from "./fixture.ts";
import { aRandom, type Random } from "./random.ts";
import { randomChange } from "./random-block.ts";

const CONTRACTS = 10;
const SLOTS = 24;

/** Address of one of the contracts that `randomContracts` may touch. */
export const contractAddress = (i: number): Uint8Array => keccak256(Uint8Array.of(7, i)).slice(12);

/** Contracts made, written to, destroyed and made again, some of it within one block. */
export function randomContracts(random: Random): (world: World) => void {
  return (world) => {
    for (let i = random.below(8); i >= 0; i--) {
      const address = contractAddress(random.below(CONTRACTS));
      if (!world.exists(address)) create(world, address, random);
      else if (random.below(4) === 0) world.destroy(address);
      else writeSlots(world, address, random);
      world.endTransaction();
    }
  };
}

/** Block `number` of a chain of transfers and contracts that is the same everywhere. */
export function randomBlock(number: number): (world: World) => void {
  const random = aRandom(number);
  return (world) => {
    randomChange(random)(world);
    randomContracts(random)(world);
  };
}

function create(world: World, address: Uint8Array, random: Random): void {
  world.setAccount(address, { ...emptyAccount(), kind: "contract", nonce: 1n });
  world.setCode(address, new Uint8Array(1 + random.below(3)).fill(random.below(4)));
  writeSlots(world, address, random);
}

function writeSlots(world: World, address: Uint8Array, random: Random): void {
  world.addBalance(address, BigInt(random.below(3)));
  for (let s = random.below(20); s > 0; s--) {
    world.setSlot(
      address,
      BigInt(random.below(SLOTS)),
      BigInt(random.below(random.below(2) === 0 ? 3 : 2 ** 20)),
    );
  }
}

/** Answers of a view about everything that `randomContracts` may touch. */
export function contractsOf(view: StateView): unknown[] {
  return Array.from({ length: CONTRACTS }, (_, i) => {
    const address = contractAddress(i);
    const slots = Array.from({ length: SLOTS }, (_slot, k) =>
      Buffer.from(view.slot(address, aWord(k))).toString("hex"),
    );
    const account = view.account(address);
    return [
      account?.nonce,
      account?.balance,
      account?.storageRoot.join(),
      view.code(address).join(),
      ...slots,
    ];
  });
}

/** The same by block, for every block that can be read. */
export function readableContracts(state: State, from: number): Map<number, unknown[]> {
  const all = new Map<number, unknown[]>();
  for (let number = from; number <= state.number; number++) all.set(number, contractsOf(state.view(number)));
  return all;
}
