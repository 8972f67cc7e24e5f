/**
 * Starts and finishes the frames of contract creations, as `create` of `blockchain/vm/evm.go@v2.2.2`. In: a
 * frame with creator, value, gas and init code set. Out: the new account and its code.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { emptyAccount } from "../model/account.ts";
import { FAIL_KEY } from "../model/account-key.ts";
import type { World } from "../state/world/world.ts";
import { create2Address, createAddress, wordOf } from "./address.ts";
import { Code } from "./code.ts";
import { failures } from "./failure.ts";
import { type CallFrame, NO_BYTES, takeGas } from "./frame.ts";
import { checkStart, rejectFrame, transfer } from "./frame-checks.ts";
import type { Machine } from "./machine.ts";
import { isReserved } from "./precompiles.ts";

const MAX_CODE_BYTES = 24_576;
const CODE_BYTE_GAS = 200;
const MAX_NONCE = 0xffff_ffff_ffff_ffffn;
const EF = 0xef;

/** Begins a creation. Returns true when the frame has init code to run; otherwise the frame has ended. */
export function beginCreation(m: Machine, f: CallFrame, salt: bigint | undefined): boolean {
  const { world, schedule } = m;
  f.isStatic = false;
  f.code = new Code(f.input);
  f.snapshotId = world.snapshot();
  const nonce = world.nonce(f.caller);
  f.address = salt === undefined ? createAddress(f.caller, nonce) : create2Address(f.caller, salt, f.input);
  f.addressWord = wordOf(f.address);
  f.codeAddress = f.address;
  m.watch?.enter(f, false); // a tracer also sees rejected frames
  if (!checkStart(m, f) || (nonce === MAX_NONCE && !rejectFrame(f, failures["nonce-overflow"]))) {
    f.address = f.caller; // no contract was created
    return false;
  }
  world.setNonce(f.caller, nonce + 1n);
  if (schedule.warmth) world.warmAddress(f.address);
  f.snapshotId = world.snapshot();
  if (hasCollision(m, f.address)) {
    f.failure = failures["address-collision"];
    return false;
  }
  if (isReserved(f.address, m.rules)) return rejectFrame(f, failures["reserved-address"]);
  f.input = NO_BYTES; // init code is not call data
  openContract(m, f.address);
  transfer(world, f);
  return f.code.bytes.length > 0;
}

/** Stores the code that the init code returned, or sets the failure that forbids it. */
export function finishCreation(m: Machine, f: CallFrame): void {
  const code = f.output;
  const { efCode } = m.schedule;
  const isEf = code[0] === EF;
  if (code.length > MAX_CODE_BYTES) f.failure = failures["code-size"];
  else if (isEf && efCode === "refused") f.failure = failures["invalid-code"];
  else {
    const left = takeGas(f, f.gas, code.length * CODE_BYTE_GAS);
    if (left < 0) f.failure = failures["code-store-out-of-gas"];
    else {
      f.gas = left;
      m.world.setCode(f.address, code);
      if (isEf && efCode === "reported") rejectFrame(f, failures["invalid-code"]);
    }
  }
}

function hasCollision({ world, schedule }: Machine, address: Address): boolean {
  if (!schedule.createsOverBalance) return world.exists(address);
  return world.nonce(address) !== 0n || hasCode(world, address) || world.hasStorage(address);
}

function hasCode(world: World, address: Address): boolean {
  const hash = world.codeHash(address);
  return hash !== EMPTY_HASH && !equalBytes(hash, EMPTY_HASH);
}

/** Creates a contract account without code; a balance that the address has already stays. */
function openContract({ world, rules }: Machine, address: Address): void {
  const balance = world.balance(address);
  const codeInfo = rules.vmVersion << 4;
  world.setAccount(address, {
    ...emptyAccount(),
    kind: "contract",
    key: FAIL_KEY,
    nonce: 1n,
    balance,
    codeInfo,
  });
  world.markCreated(address);
}
