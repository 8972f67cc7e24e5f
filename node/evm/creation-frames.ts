/** How creations begin and end: the account that they make, and the code that it gets (execution.md 5.1, 5.6). */
import { equalBytes } from "../bytes/compare.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { newAccount } from "../model/account.ts";
import { FAIL_KEY } from "../model/account-key.ts";
import type { World } from "../state/world/world.ts";
import { create2Address, createAddress, isReserved, wordOf } from "./address.ts";
import { Code } from "./code.ts";
import { failures } from "./failure.ts";
import { type Frame, NO_BYTES, takeGas } from "./frame.ts";
import type { Machine } from "./machine.ts";
import { mayBegin, refuse, transfer } from "./start.ts";

const MOST_CODE = 24_576;
const CODE_BYTE_GAS = 200;
const MOST_NONCE = 0xffff_ffff_ffff_ffffn;
const EF = 0xef;

/** True for a creation whose code has to run; any other has ended. */
export function beginCreation(m: Machine, f: Frame, salt: bigint | undefined): boolean {
  const { world, schedule } = m;
  f.isStatic = false;
  f.code = new Code(f.input);
  f.mark = world.snapshot();
  const nonce = world.nonce(f.caller);
  f.address = salt === undefined ? createAddress(f.caller, nonce) : create2Address(f.caller, salt, f.input);
  f.addressWord = wordOf(f.address);
  f.codeAddress = f.address;
  m.watch?.enter(f, false); // a tracer sees refused frames too
  if (!mayBegin(m, f) || (nonce === MOST_NONCE && !refuse(f, failures["nonce-overflow"]))) {
    f.address = f.caller; // there is no contract
    return false;
  }
  world.setNonce(f.caller, nonce + 1n);
  if (schedule.warmth) world.warmAddress(f.address);
  f.mark = world.snapshot();
  if (isTaken(m, f.address)) {
    f.failure = failures["address-collision"];
    return false;
  }
  if (isReserved(f.address)) return refuse(f, failures["reserved-address"]);
  f.input = NO_BYTES; // the code that creates is not its call data
  openContract(m, f.address);
  transfer(world, f);
  return f.code.bytes.length > 0;
}

/** Puts the code in place that the creation returned, if it may. */
export function finishCreation(m: Machine, f: Frame): void {
  const code = f.output;
  const { efCode } = m.schedule;
  const isEf = code[0] === EF;
  if (code.length > MOST_CODE) f.failure = failures["code-size"];
  else if (isEf && efCode === "refused") f.failure = failures["invalid-code"];
  else {
    const left = takeGas(f, f.gas, code.length * CODE_BYTE_GAS);
    if (left < 0) f.failure = failures["code-store-out-of-gas"];
    else {
      f.gas = left;
      m.world.setCode(f.address, code);
      if (isEf && efCode === "reported") refuse(f, failures["invalid-code"]);
    }
  }
}

function isTaken({ world, schedule }: Machine, address: Uint8Array): boolean {
  if (!schedule.createsOverBalance) return world.exists(address);
  return world.nonce(address) !== 0n || hasCode(world, address) || world.hasStorage(address);
}

function hasCode(world: World, address: Uint8Array): boolean {
  const hash = world.codeHash(address);
  return hash !== EMPTY_HASH && !equalBytes(hash, EMPTY_HASH);
}

/** A contract without code yet; it keeps a balance that was there. */
function openContract({ world, rules }: Machine, address: Uint8Array): void {
  const balance = world.balance(address);
  const codeInfo = rules.vmVersion << 4;
  world.setAccount(address, {
    ...newAccount(),
    kind: "contract",
    key: FAIL_KEY,
    nonce: 1n,
    balance,
    codeInfo,
  });
  world.markCreated(address);
}
