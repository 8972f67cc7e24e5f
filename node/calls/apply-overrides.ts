/** Applies the state overrides of `eth_call` and `eth_estimateGas` to a world. */
import type { Address } from "../bytes/brands.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import { emptyAccount } from "../model/account.ts";
import type { World } from "../state/world/world.ts";
import type { AccountOverride, SlotOverride } from "./arguments/state-overrides.ts";

/** Applies state overrides to a world, as committed state for the call that follows. */
export function applyOverrides(world: World, overrides: readonly AccountOverride[]): World {
  for (const each of overrides) overrideAccount(world, each);
  if (overrides.length > 0) world.endTransaction();
  return world;
}

function overrideAccount(
  world: World,
  { address, nonce, code, balance, state, stateDiff }: AccountOverride,
): void {
  if (state !== undefined) clearStorage(world, address);
  const account = world.account(address) ?? emptyAccount();
  world.setAccount(address, {
    ...account,
    nonce: nonce ?? account.nonce,
    balance: balance ?? account.balance,
  });
  if (code !== undefined) world.setCode(address, code);
  putSlots(world, address, state ?? stateDiff ?? []);
}

/** Deletes all storage of an account by recreating the account. */
function clearStorage(world: World, address: Address): void {
  const account = world.account(address);
  if (account === undefined) return;
  const code = world.code(address);
  world.destroy(address);
  world.endTransaction();
  world.setAccount(address, account);
  world.setCode(address, code);
}

function putSlots(world: World, address: Address, slots: readonly SlotOverride[]): void {
  for (const [key, value] of slots) world.setSlot(address, bytesToBigint(key), bytesToBigint(value));
}
