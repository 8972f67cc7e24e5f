/** How frames of calls begin (execution.md 5.1, 5.2). */
import { type Account, newAccount } from "../model/account.ts";
import { FAIL_KEY } from "../model/account-key.ts";
import { isReserved } from "./address.ts";
import { delegationIn } from "./code.ts";
import { failures, precompileFailed } from "./failure.ts";
import { type Frame, payGas } from "./frame.ts";
import type { Machine } from "./machine.ts";
import { type Precompile, precompileAt } from "./precompiles.ts";
import { mayBegin, refuse, transfer } from "./start.ts";

/** True for a frame that has code to run; any other has ended. */
export function beginCall(m: Machine, f: Frame): boolean {
  const { world, rules } = m;
  f.mark = world.snapshot();
  const precompile = isReserved(f.codeAddress) ? precompileFor(m, f.caller, f.codeAddress) : undefined;
  m.watch?.enter(f, precompile !== undefined); // a tracer sees refused frames too
  if (!mayBegin(m, f)) return false;
  const isCall = f.kind === "CALL";
  if (isCall ? !openAccount(m, f, precompile) : !hasCallee(m, f)) return false;
  if (isCall && f.value !== 0n) transfer(world, f);
  else if (isCall) world.addBalance(f.address, 0n);
  if (precompile !== undefined) {
    runPrecompile(m, f, precompile);
    return false;
  }
  const own = m.codes.at(f.codeAddress);
  const target = rules.delegations ? delegationIn(own.bytes) : undefined;
  f.code = target === undefined ? own : m.codes.at(target);
  return f.code.bytes.length > 0;
}

/** The precompiled contract that a caller finds at an address. */
function precompileFor(m: Machine, caller: Uint8Array, address: Uint8Array): Precompile | undefined {
  return precompileAt(address, m.rules, vmVersionOf(m.world.account(caller)));
}

/** Only contracts have one that matters. */
function vmVersionOf(account: Account | undefined): 0 | 1 {
  return account?.kind === "contract" && account.codeInfo >> 4 === 0 ? 0 : 1;
}

/** Makes the account that a CALL needs, if it needs one; false when the call has ended. */
function openAccount({ world, rules }: Machine, f: Frame, precompile: Precompile | undefined): boolean {
  const { address, value } = f;
  if (isReserved(address)) {
    if (precompile === undefined || value !== 0n) return refuse(f, failures["reserved-address"]);
    if (!world.exists(address)) {
      const codeInfo = rules.vmVersion << 4;
      world.setAccount(address, { ...newAccount(), kind: "contract", key: FAIL_KEY, codeInfo });
    }
    return true;
  }
  return value !== 0n || world.exists(address);
}

/** True when there is something whose code could be borrowed, as the contract that asks sees it. */
function hasCallee(m: Machine, { parent, caller, codeAddress }: Frame): boolean {
  if (m.world.exists(codeAddress)) return true;
  const asker = parent?.address ?? caller;
  return isReserved(codeAddress) && precompileFor(m, asker, codeAddress) !== undefined;
}

function runPrecompile(m: Machine, f: Frame, row: Precompile): void {
  const { world, rules, feePayer } = m;
  const gas = row.gas(f.input, rules);
  m.computation += row.cost(f.input, gas, rules);
  if (!payGas(f, BigInt(gas))) {
    f.failure = failures["out-of-gas"];
    return;
  }
  const output = row.run({ input: f.input, world, rules, feePayer });
  if (output === undefined) f.failure = precompileFailed(row.fault?.(f.input));
  else f.output = output.buffer === f.input.buffer ? output.slice() : output;
}
