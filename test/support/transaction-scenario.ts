/** Random transactions of Ethereum's kinds and of the chain's own. */
import { TransactionType } from "@ethereumjs/tx";
import { eoaCode7702SignAuthorization } from "@ethereumjs/util";
import { toHex } from "../../node/bytes/hex.ts";
import { toQuantity } from "../../node/bytes/integer.ts";
import { wordBytes } from "../../node/bytes/word.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import { randomProgram } from "./evm-programs.ts";
import { BLOCK, COINBASE, delegationTo, randomSurroundings, type ScenarioOptions } from "./evm-scenario.ts";
import { randomBytes } from "./random.ts";
import { rulesUpTo } from "./suite-runners.ts";
import { type SuiteAccount } from "./suite-world.ts";
import {
  capOf,
  isForkSince,
  type NativeKind,
  type SentTransaction,
  type TransactionFields,
  type TransactionFork,
} from "./transaction-differences.ts";

/** A transaction in a world, and the key that signs it. */
export interface TransactionScenario extends SentTransaction {
  readonly fork: TransactionFork;
  readonly key: Uint8Array;
}

const KEYS = [1, 2, 3].map((index) => keccak256(Uint8Array.of(index)));
const SIGNERS = KEYS.map(addressOfKey);
/** The chain of every scenario. */
export const CHAIN_ID = 1n;

/** A transaction that more often than not may run. */
export function randomTransaction(random: () => number, fork: TransactionFork): TransactionScenario {
  const draw: Draw = { random, below: (limit) => Math.floor(random() * limit), fork };
  const surroundings = randomSurroundings(random, rulesUpTo(fork).evm, SIGNERS);
  const { accounts } = surroundings;
  for (const [index, address] of SIGNERS.entries())
    accounts[toHex(address)] = aSigner(draw, index, surroundings);
  const from = draw.below(2);
  const [key, sender] = [KEYS[from] as Uint8Array, toHex(SIGNERS[from] as Uint8Array)]; // in range
  const wrong = random() < 0.95 ? 0 : 1 - draw.below(2) * 2;
  const nonce = Math.max(0, Number(accounts[sender]?.nonce ?? 0) + wrong);
  const fields = { chainId: CHAIN_ID, nonce, ...randomFields(draw, surroundings) };
  if (random() < 0.2) accounts[sender] = aPoorSigner(draw, accounts[sender] as SuiteAccount, fields); // put above
  const native = randomNative(draw, fields);
  return {
    fork,
    accounts,
    key,
    ...(native === undefined ? { fields } : { native, fields: fitting(native, fields) }),
  };
}

/** A kind of this chain's own that may say the same. */
function randomNative(
  { random, below, fork }: Draw,
  { type, to }: TransactionFields,
): NativeKind | undefined {
  if (type !== TransactionType.Legacy || random() < 0.6) return undefined;
  if (to !== undefined) return (["transfer", "memo", "execution"] as const)[below(3)];
  return isForkSince(fork, "prague") ? undefined : "deploy"; // its floor is another, which the oracle cannot be told
}

function fitting(native: NativeKind, fields: TransactionFields): TransactionFields {
  return native === "transfer" ? { ...fields, data: new Uint8Array(0) } : fields;
}

interface Draw {
  readonly random: () => number;
  readonly below: (limit: number) => number;
  readonly fork: TransactionFork;
}

function aSigner({ random, below, fork }: Draw, index: number, { contracts }: ScenarioOptions): SuiteAccount {
  const borrows = index > 0 && isForkSince(fork, "prague") && random() < 0.3;
  const code = borrows ? delegationTo(contracts[below(4)] ?? COINBASE) : "0x";
  const balance = index === 2 && random() < 0.3 ? "0x1" : "0xffffffffffffff";
  return { balance, nonce: toQuantity(below(3)), code, storage: {} };
}

/** One that has about what the transaction may cost. */
function aPoorSigner({ below }: Draw, signer: SuiteAccount, fields: TransactionFields): SuiteAccount {
  const tip = fields.maxPriorityFeePerGas ?? 0n;
  const price = [BLOCK.baseFee, BLOCK.baseFee + tip, capOf(fields)][below(3)] ?? 0n;
  return { ...signer, balance: toQuantity(fields.gasLimit * price + fields.value + BigInt(below(3)) - 1n) };
}

const TYPES = [
  TransactionType.Legacy,
  TransactionType.AccessListEIP2930,
  TransactionType.FeeMarketEIP1559,
  TransactionType.EOACodeEIP7702,
] as const;

function randomType({ random, below, fork }: Draw): TransactionType {
  if (!isForkSince(fork, "ethTxType") && random() < 0.9) return TransactionType.Legacy;
  return TYPES[below(isForkSince(fork, "prague") ? 4 : 3)] ?? TransactionType.Legacy;
}

/** Random fields of a transaction besides chain and nonce. */
function randomFields(
  draw: Draw,
  { plan, contracts }: ScenarioOptions,
): Omit<TransactionFields, "chainId" | "nonce"> {
  const { random, below } = draw;
  const type = randomType(draw);
  const isSetCode = type === TransactionType.EOACodeEIP7702;
  const isLegacy = type === TransactionType.Legacy;
  const hasCaps = isSetCode || type === TransactionType.FeeMarketEIP1559;
  const isCreation = !isSetCode && random() < 0.2;
  const to = toHex(
    (random() < 0.75 ? contracts[below(4)] : plan.addresses[below(plan.addresses.length)]) ?? COINBASE,
  );
  const maxFeePerGas = 20n + BigInt(below(30));
  const accessList = Array.from({ length: below(3) }, () => ({
    address: toHex(plan.addresses[below(plan.addresses.length)] ?? COINBASE),
    storageKeys: Array.from({ length: below(3) }, () => toHex(wordBytes(BigInt(below(4))))),
  }));
  const authorizationList = Array.from({ length: 1 + below(3) }, () => anAuthorization(random, contracts));
  return {
    type,
    gasLimit: BigInt(Math.floor(Math.exp(Math.log(20_000) + random() * Math.log(60)))),
    value: random() < 0.6 ? 0n : BigInt(below(5)),
    data: isCreation ? randomProgram(plan) : randomBytes(random, below(120)),
    ...(!isCreation && { to }),
    ...(hasCaps ? { maxFeePerGas, maxPriorityFeePerGas: BigInt(below(10)) } : { gasPrice: maxFeePerGas }),
    ...(!isLegacy && { accessList }),
    ...(isSetCode && { authorizationList }),
  };
}

function anAuthorization(random: () => number, contracts: readonly Uint8Array[]): unknown {
  const index = Math.floor(random() * 3);
  const unsigned = {
    chainId: toQuantity([0n, CHAIN_ID, CHAIN_ID, 5n][Math.floor(random() * 4)] ?? 0n),
    address:
      random() < 0.2 ? toHex(new Uint8Array(20)) : toHex(contracts[Math.floor(random() * 4)] ?? COINBASE),
    nonce: toQuantity(Math.floor(random() * 4)),
  };
  return eoaCode7702SignAuthorization(unsigned, KEYS[index] ?? COINBASE);
}
