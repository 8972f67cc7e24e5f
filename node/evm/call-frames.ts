/**
 * Starts call frames, as `Call`, `CallCode`, `DelegateCall` and `StaticCall` of
 * `blockchain/vm/evm.go@v2.2.2`. In: a frame with caller, callee, value and gas set. Out: a frame ready for
 * the interpreter loop, or one that has ended.
 */
import type { Address } from "../bytes/brands.ts";
import { type Account, emptyAccount } from "../model/account.ts";
import { FAIL_KEY } from "../model/account-key.ts";
import { delegationIn } from "./code.ts";
import { failures, precompileFailure } from "./failure.ts";
import { type CallFrame, payGas } from "./frame.ts";
import { checkStart, rejectFrame, transfer } from "./frame-checks.ts";
import type { Machine } from "./machine.ts";
import { isReserved, type Precompile, precompileAt } from "./precompiles.ts";

/** Begins a call. Returns true when the frame has code to run; otherwise the frame has ended. */
export function beginCall(m: Machine, f: CallFrame): boolean {
  const { world, rules } = m;
  f.snapshotId = world.snapshot();
  const precompile = isReserved(f.codeAddress, rules) ? precompileFor(m, f.caller, f.codeAddress) : undefined;
  m.watch?.enter(f, precompile !== undefined); // a tracer also sees rejected frames
  if (!checkStart(m, f)) return false;
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

/** Returns the precompiled contract that a caller sees at an address. */
function precompileFor(m: Machine, caller: Address, address: Address): Precompile | undefined {
  return precompileAt(address, m.rules, vmVersionOf(m.world.account(caller)));
}

/** Returns the VM version of a caller; anything but a contract counts as version 1. */
function vmVersionOf(account: Account | undefined): 0 | 1 {
  return account?.kind === "contract" && account.codeInfo >> 4 === 0 ? 0 : 1;
}

/** Creates the callee's account if a CALL needs it. Returns false when the call has ended. */
function openAccount({ world, rules }: Machine, f: CallFrame, precompile: Precompile | undefined): boolean {
  const { address, value } = f;
  if (isReserved(address, rules)) {
    if (precompile === undefined || value !== 0n) return rejectFrame(f, failures["reserved-address"]);
    if (!world.exists(address)) {
      const codeInfo = rules.vmVersion << 4;
      world.setAccount(address, { ...emptyAccount(), kind: "contract", key: FAIL_KEY, codeInfo });
    }
    return true;
  }
  return value !== 0n || world.exists(address);
}

/** True when the callee of a CALLCODE, DELEGATECALL or STATICCALL exists, as the calling contract sees it. */
function hasCallee(m: Machine, { parent, caller, codeAddress }: CallFrame): boolean {
  if (m.world.exists(codeAddress)) return true;
  const asker = parent?.address ?? caller;
  return isReserved(codeAddress, m.rules) && precompileFor(m, asker, codeAddress) !== undefined;
}

function runPrecompile(m: Machine, f: CallFrame, row: Precompile): void {
  const { world, rules, feePayer } = m;
  const gas = row.gas(f.input, rules);
  m.computation += row.cost(f.input, gas, rules);
  if (!payGas(f, BigInt(gas))) {
    f.failure = failures["out-of-gas"];
    return;
  }
  const output = row.run({ input: f.input, world, rules, feePayer });
  if (output === undefined) f.failure = precompileFailure(row.fault?.(f.input));
  else f.output = output.buffer === f.input.buffer ? output.slice() : output;
}
