/** Random blocks of transfers, and the answers of a state about them. */
import { keccak256 } from "../../../node/crypto/keccak.ts";
import type { State } from "../../../node/state/state.ts";
import type { World } from "../../../node/state/world/world.ts";
import { aWord } from "./fixture.ts";
import type { Random } from "./random.ts";

/** Random transfers, new and vanishing accounts, slots set and cleared. */
export function randomChange(random: Random): (world: World) => void {
  return (world) => {
    for (let i = random.below(30); i >= 0; i--) {
      const address = keccak256(Uint8Array.of(random.below(200))).slice(12);
      const balance = world.balance(address);
      if (random.below(4) === 0 && balance > 0n) world.subtractBalance(address, balance);
      else world.addBalance(address, BigInt(random.below(1000)));
      if (random.below(3) > 0) continue;
      world.setNonce(address, world.nonce(address) + 1n);
      for (let s = random.below(4); s > 0; s--) {
        world.setSlot(address, BigInt(random.below(12)), BigInt(random.below(3)));
      }
      world.endTransaction();
    }
  };
}

/** Answers of a state about everything that `randomChange` may touch. */
export function contentOf({ state }: { readonly state: State }, number: number): unknown[] {
  const view = state.view(number);
  return Array.from({ length: 200 }, (_, i) => {
    const address = keccak256(Uint8Array.of(i)).slice(12);
    const slots = Array.from({ length: 12 }, (_slot, k) => view.slot(address, aWord(k))[31]);
    return [view.account(address)?.nonce, view.account(address)?.balance, ...slots];
  });
}
