/** Set-code authorizations (EIP-7702): accounts that delegate to the code of another account. */
import type { Address } from "../bytes/brands.ts";
import { concatBytes, isZero } from "../bytes/compare.ts";
import type { Rules } from "../config/rules.ts";
import { DESIGNATOR, delegationIn } from "../evm/code.ts";
import { type Account, emptyAccount } from "../model/account.ts";
import { LEGACY_KEY } from "../model/account-key.ts";
import { authorityOf } from "../model/authorization.ts";
import type { Authorization } from "../model/transaction-type.ts";
import type { World } from "../state/world/world.ts";

const MAX_NONCE = 0xffff_ffff_ffff_ffffn;
/** Refunded gas of an authorization of an existing account (EIP-7702). */
const EXISTING_REFUND = 12_500;
const NO_CODE = new Uint8Array(0);

/**
 * Applies the authorizations in order; an invalid one is skipped (EIP-7702,
 * `blockchain/state_transition.go@v2.2.2`).
 */
export function applyAuthorizations(
  world: World,
  authorizations: readonly Authorization[],
  { chainId, rules }: { readonly chainId: bigint; readonly rules: Rules },
): void {
  for (const authorization of authorizations) {
    if (authorization.chainId !== 0n && authorization.chainId !== chainId) continue;
    if (authorization.nonce >= MAX_NONCE) continue;
    const authority = authorityOf(authorization);
    if (authority === undefined) continue;
    world.warmAddress(authority);
    if (mayDelegate(world, authority, authorization.nonce)) delegate(world, authority, authorization, rules);
  }
}

function mayDelegate(world: World, authority: Address, nonce: bigint): boolean {
  const code = world.code(authority);
  if (code.length > 0 && delegationIn(code) === undefined) return false;
  if (world.nonce(authority) !== nonce) return false;
  const account = world.account(authority);
  return account === undefined || account.key.type === LEGACY_KEY.type;
}

function delegate(world: World, authority: Address, { address, nonce }: Authorization, rules: Rules): void {
  const known = world.account(authority);
  if (known !== undefined) world.addRefund(EXISTING_REFUND);
  const clears = isZero(address);
  const account: Account = {
    ...(known ?? emptyAccount()),
    nonce: nonce + 1n,
    codeInfo: clears ? 0 : rules.vmVersion << 4,
  };
  world.setAccount(authority, account);
  world.setCode(authority, clears ? NO_CODE : concatBytes(DESIGNATOR, address));
}
