/** Applies the state overrides of `eth_call` and `eth_estimateGas` to a world. */
import type { Address } from "../bytes/brands.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Account, emptyAccount, isEmptyAccount } from "../model/account.ts";
import { FAIL_KEY } from "../model/account-key.ts";
import type { World } from "../state/world/world.ts";
import type { AccountOverride, SlotOverride } from "./arguments/state-overrides.ts";
import type { CallLimits } from "./run-call.ts";

/**
 * Applies state overrides to a world for the call that follows (`api/api_eth.go@v2.2.2`,
 * `EthStateOverride.Apply`). A replaced storage counts as committed, `stateDiff` as changed by the call itself. Throws
 * `RpcError` for an account with both.
 */
export function applyOverrides(
  world: World,
  overrides: readonly AccountOverride[],
  { ignoresWholeStorage = false }: Pick<CallLimits, "ignoresWholeStorage">,
): World {
  for (const { address, state, stateDiff } of overrides)
    if (state !== undefined && stateDiff !== undefined)
      throw failure(`account ${checksumAddress(address)} has both 'state' and 'stateDiff'`);
  if (!ignoresWholeStorage) for (const each of overrides) replaceStorage(world, each);
  for (const each of overrides) overrideAccount(world, each);
  return world;
}

function overrideAccount(world: World, override: AccountOverride): void {
  const { address, nonce, code, balance, stateDiff = [] } = override;
  const account = world.account(address) ?? createdBy(override);
  if (account === undefined) return;
  world.setAccount(address, {
    ...account,
    nonce: nonce ?? account.nonce,
    balance: balance ?? account.balance,
  });
  if (code !== undefined) world.setCode(address, code);
  putSlots(world, address, stateDiff);
}

/** Returns the account that an override begins with where there is none: its first member decides. */
function createdBy({ nonce, code, balance, stateDiff = [] }: AccountOverride): Account | undefined {
  if (nonce !== undefined) return emptyAccount();
  if (code !== undefined) return NEW_CONTRACT;
  if (balance !== undefined) return emptyAccount();
  return stateDiff.length > 0 ? NEW_CONTRACT : undefined;
}

/** The contract that the Go node creates where code or slots are put (`createObjectWithMap`, nonce 0). */
const NEW_CONTRACT: Account = { ...emptyAccount(), kind: "contract", key: FAIL_KEY };

/** Replaces the storage of an account as committed state. An empty account is kept for it. */
function replaceStorage(world: World, override: AccountOverride): void {
  const { address, state } = override;
  if (state === undefined) return;
  clearStorage(world, address);
  const account = world.account(address) ?? createdBy(override) ?? emptyAccount();
  world.setAccount(address, isEmptyAccount(account) ? { ...account, nonce: 1n } : account);
  putSlots(world, address, state);
  world.endTransaction();
  world.setAccount(address, account);
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
