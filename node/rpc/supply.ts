/** How much there is of the coin after a block (rpc.md 2.6.4). */
import { isZero } from "../bytes/compare.ts";
import { fromBareHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { blockNumber } from "../calls/arguments/block-number.ts";
import { findHead } from "../calls/lookup.ts";
import type { Chain } from "../chain/chain.ts";
import type { Supply } from "../chain/supply.ts";
import { AbiTuple, encodeCall } from "../governance/abi.ts";
import type { Governance } from "../governance/governance.ts";
import { optional } from "../jsonrpc/codec.ts";
import { boolean, plain } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";

/** What is read. */
export interface SupplyMethodParts {
  readonly chain: Chain;
  readonly governance: Governance;
  readonly supply: Pick<Supply, "totals">;
}

const ZERO = new Uint8Array(20);
const DEAD = fromBareHex("000000000000000000000000000000000000dead");

/** See the head of this file. */
export function supplyMethods(parts: SupplyMethodParts): Method[] {
  return [
    method({
      name: "chain_getTotalSupply",
      summary:
        "How much there is of the coin after a block: minted, less what was burnt; with what is not known null.",
      params: { number: optional(blockNumber, "latest" as const), showPartial: optional(boolean, false) },
      result: plain<object>("supply"),
      handle: async ({ number, showPartial }) => {
        const block = findHead(parts.chain, number);
        if (block === undefined) throw failure("block not found");
        const totals = await parts.supply.totals(block.header.number);
        if (totals === undefined) throw failure("supply checkpoint not found");
        return supplyView(totals, burntOf(parts, block.header.number), showPartial);
      },
    }),
  ];
}

/** What lies or went where nobody can use it. */
interface Burnt {
  readonly number: number;
  readonly zeroBurn: bigint | undefined;
  readonly deadBurn: bigint | undefined;
  readonly kip103Burn: bigint | undefined;
  readonly kip160Burn: bigint | undefined;
  readonly error: string | undefined;
}

function supplyView(
  { minted, burntFees }: { readonly minted: bigint; readonly burntFees: bigint },
  { number, error, ...burns }: Burnt,
  showPartial: boolean,
): object {
  if (error !== undefined && !showPartial) throw failure(error);
  const all = [burntFees, ...Object.values(burns)];
  const isWhole = all.every((amount) => amount !== undefined);
  const burnt = all.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n);
  return {
    number: toQuantity(number),
    ...(error === undefined ? {} : { error }),
    totalSupply: isWhole ? toQuantity(minted - burnt) : null,
    totalMinted: toQuantity(minted),
    totalBurnt: isWhole ? shown(burnt) : null,
    burntFee: toQuantity(burntFees),
    zeroBurn: shown(burns.zeroBurn),
    deadBurn: shown(burns.deadBurn),
    kip103Burn: shown(burns.kip103Burn),
    kip160Burn: shown(burns.kip160Burn),
  };
}

/** A rebalancing may have made more than it burnt. */
function shown(amount: bigint | undefined): string | null {
  if (amount === undefined) return null;
  return amount < 0n ? `-${toQuantity(-amount)}` : toQuantity(amount);
}

function burntOf(parts: SupplyMethodParts, number: number): Burnt {
  const { chain } = parts;
  const { config } = chain;
  try {
    const state = chain.stateAt(number);
    const rebalanced = (key: string, contract: Uint8Array): bigint | undefined => {
      const at = config.forks.get(key) ?? 0;
      return at === 0 || isZero(contract) || number < at ? 0n : memoBurn(parts, contract);
    };
    const kip103Burn = rebalanced("kip103CompatibleBlock", config.kip103ContractAddress);
    const kip160Burn = rebalanced("kip160CompatibleBlock", config.kip160ContractAddress);
    const isWhole = kip103Burn !== undefined && kip160Burn !== undefined;
    return {
      number,
      zeroBurn: state.account(ZERO)?.balance ?? 0n,
      deadBurn: state.account(DEAD)?.balance ?? 0n,
      kip103Burn,
      kip160Burn,
      error: isWhole ? undefined : NO_MEMO,
    };
  } catch (error) {
    if ((error as { code?: unknown }).code !== "state-missing") throw error;
    const unknown = {
      zeroBurn: undefined,
      deadBurn: undefined,
      kip103Burn: undefined,
      kip160Burn: undefined,
    };
    return { number, ...unknown, error: (error as Error).message }; // it has a code, so it is an error of the state's
  }
}

const NO_MEMO = "cannot determine rebalance (kip103, kip160) burn amount: rebalance memo empty";
/** The test network's chain id, and what its rebalancing burnt: its memo is a text for people. */
const KAIROS = 1001n;
const KAIROS_BURNT = -3_704_329_462_904_320_084_000_000_000n;

/**
 * What the contract of a rebalancing notes about it; undefined where it notes nothing that can be read. It is asked at
 * the newest block: the note comes some time after the rebalancing.
 */
function memoBurn({ chain, governance }: SupplyMethodParts, contract: Uint8Array): bigint | undefined {
  const output = governance.contracts(chain.head().header.number).call(contract, encodeCall("memo()"));
  if (output === undefined || output.length === 0) return undefined;
  try {
    const text = Buffer.from(new AbiTuple(output).bytes(0)).toString();
    if (chain.config.chainId === KAIROS && text.startsWith("before")) return KAIROS_BURNT;
    const memo: unknown = JSON.parse(text, exact);
    const burnt = (memo as { burnt?: unknown } | null)?.burnt;
    return typeof burnt === "string" && /^-?\d+$/.test(burnt) ? BigInt(burnt) : undefined;
  } catch {
    return undefined; // anybody's text
  }
}

/** Amounts as the digits that stand there. */
function exact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" ? (context?.source ?? String(value)) : value;
}
