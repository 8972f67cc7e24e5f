/**
 * Differences of this chain's interpreter from Ethereum's by design. Each row names its source, and either the
 * oracle's replacement, or how a scenario shows that the two cannot be compared.
 */
import type { EVMOpts } from "@ethereumjs/evm";
import { type Address, createAddressFromBigInt } from "@ethereumjs/util";
import { mapKey } from "../../node/bytes/hex.ts";
import { bytesToBigint } from "../../node/bytes/integer.ts";
import { type EvmRevision, isRevisionSince } from "../../node/config/rule-facts.ts";
import { EMPTY_HASH } from "../../node/crypto/keccak.ts";
import { HOLLOW, RIPEMD, type Seen } from "./evm-scenario.ts";

/** An opcode that the oracle is given. */
export type CustomOpcode = NonNullable<EVMOpts["customOpcodes"]>[number];

/** A difference. */
export interface Difference {
  readonly name: string;
  readonly section: string;
  /** Opcodes of the oracle that replace its own. */
  readonly opcodes?: (revision: EvmRevision) => readonly CustomOpcode[];
  /** True for a scenario that met the difference where the oracle cannot follow. */
  readonly met?: (seen: Seen, revision: EvmRevision) => boolean;
}

type Opcode = Extract<CustomOpcode, { readonly logicFunction: unknown }>;
type RunState = Parameters<Opcode["logicFunction"]>[0];

const EMPTY = bytesToBigint(EMPTY_HASH);
const NO_CODE_HASH_GAS: Readonly<Partial<Record<EvmRevision, number>>> = {
  base: 400,
  istanbul: 700,
  london: 700,
};

/** The hash of an account's code; `nobody` where there is no account. */
async function pushCodeHash(state: RunState, nobody: bigint): Promise<void> {
  const account = await state.stateManager.getAccount(addressOf(state.stack.pop()));
  state.stack.push(account === undefined || account.isEmpty() ? nobody : bytesToBigint(account.codeHash));
}

function pushOldCodeHash(state: RunState): Promise<void> {
  return pushCodeHash(state, EMPTY);
}

function addressOf(word: bigint): Address {
  return createAddressFromBigInt(BigInt.asUintN(160, word));
}

/** First access costs 2,600, a later one 100 (EIP-2929). */
function accessGas(state: RunState, gas: bigint): bigint {
  const [word = 0n] = state.stack.peek();
  const { bytes } = addressOf(word);
  const { journal } = state.interpreter;
  if (journal.isWarmedAddress(bytes)) return gas + 100n;
  journal.addWarmedAddress(bytes);
  return gas + 2600n;
}

function codeHash(revision: EvmRevision): Opcode {
  const head = { opcode: 0x3f, opcodeName: "EXTCODEHASH" };
  if (isRevisionSince(revision, "cancun"))
    return { ...head, baseFee: 400, logicFunction: (state) => pushCodeHash(state, 0n) };
  const fixed = NO_CODE_HASH_GAS[revision];
  if (fixed !== undefined) return { ...head, baseFee: fixed, logicFunction: pushOldCodeHash };
  return {
    ...head,
    baseFee: 0,
    logicFunction: pushOldCodeHash,
    gasFunction: (state, gas) => Promise.resolve(accessGas(state, gas)),
  };
}

const baseFee: Opcode = {
  opcode: 0x48,
  opcodeName: "BASEFEE",
  baseFee: 2,
  logicFunction: (state) => state.stack.push(state.interpreter.getBlockBaseFee()),
};

/** Every difference that programs can meet. */
export const DIFFERENCES: readonly Difference[] = [
  {
    name: "EXTCODEHASH has the hash of no code for nobody before Cancun, and a fixed price since",
    section: "5.3",
    opcodes: (revision) => [codeHash(revision)],
  },
  {
    name: "London brings BASEFEE and nothing else",
    section: "1",
    opcodes: (revision) => (revision === "london" ? [baseFee] : []),
  },
  {
    name: "0x1 to 0x3ff are reserved, and precompiled contracts take no value",
    section: "5.1",
    met: ({ failures }) => failures.has("reserved-address"),
  },
  {
    name: "vmLog, feePayer and validateSender are the chain's own",
    section: "5.2",
    met: ({ precompiles }, revision) =>
      [...precompiles].some((name) => {
        const address = name.charCodeAt(18) * 256 + name.charCodeAt(19);
        return address >= 0x3fd || (revision === "base" && address >= 9);
      }),
  },
  {
    name: "code that begins with 0xef is stored and reported from Kore to Prague",
    section: "5.6",
    met: ({ failures }, revision) => failures.has("invalid-code") && !isRevisionSince(revision, "prague"),
  },
  {
    name: "computation is limited, also that of precompiled contracts that were not paid for",
    section: "5.4",
    met: ({ failures }) => failures.has("computation-limit"),
  },
  {
    name: "a creation that reverts keeps its gas; the oracle takes output that begins with 0xef for code",
    section: "5.1",
    met: ({ reverts }) => reverts.has(0xef),
  },
  {
    name: "before Shanghai nothing is created over an account of any kind",
    section: "5.1",
    met: ({ failures }, revision) =>
      failures.has("address-collision") && !isRevisionSince(revision, "shanghai"),
  },
  {
    name: "STATICCALL touches nobody, so an empty account that is there stays",
    section: "5.1",
    met: ({ staticCalls }) => HOLLOW.some((address) => staticCalls.has(mapKey(address))),
  },
  {
    name: "a payment to RIPEMD-160's empty account that is taken back is no touch",
    section: "2",
    met: ({ heirs }) => heirs.has(mapKey(RIPEMD)),
  },
];

/** The oracle's opcodes that are not its own. */
export function oracleOpcodes(revision: EvmRevision): CustomOpcode[] {
  return DIFFERENCES.flatMap(({ opcodes }) => opcodes?.(revision) ?? []);
}

/** The row that a scenario met, if any. */
export function differenceMet(seen: Seen, revision: EvmRevision): Difference | undefined {
  return DIFFERENCES.find(({ met }) => met?.(seen, revision) === true);
}
