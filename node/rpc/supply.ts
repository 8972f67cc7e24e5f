/** The total supply of the coin after a block, with its parts. */
import type { Address } from "../bytes/brands.ts";
import { isZero } from "../bytes/compare.ts";
import { fromBareHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { type BlockNumber, blockNumber } from "../calls/arguments/block-number.ts";
import { findHead } from "../calls/lookup.ts";
import type { Chain } from "../chain/chain.ts";
import type { Supply } from "../chain/supply.ts";
import { AbiTuple, encodeCall } from "../governance/abi.ts";
import type { Governance } from "../governance/governance.ts";
import { optional } from "../jsonrpc/codec.ts";
import { boolean, plain } from "../jsonrpc/codecs/plain.ts";
import { failure, type RpcError } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { namedSchema, nullableSchema, plainSchemas, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";

/** Dependencies of the methods about the supply. */
export interface SupplyMethodDeps {
  readonly chain: Chain;
  readonly governance: Governance;
  readonly supply: Pick<Supply, "totals">;
}

const ZERO: Address = new Uint8Array(20);
const DEAD: Address = fromBareHex("000000000000000000000000000000000000dead");

/** Amounts may be unknown, and burnt ones and their difference from the minted one below zero. */
const supplySchema = namedSchema("supply", () => {
  const { quantity } = schemaRefs;
  const signed = nullableSchema({ type: "string", pattern: "^-?0x(0|[1-9a-f][0-9a-f]*)$" });
  return recordSchema({
    number: quantity,
    "error?": plainSchemas.text,
    totalSupply: signed,
    totalMinted: quantity,
    totalBurnt: signed,
    burntFee: quantity,
    zeroBurn: signed,
    deadBurn: signed,
    kip103Burn: signed,
    kip160Burn: signed,
  });
});

/** The methods about the supply. */
export function supplyMethods(deps: SupplyMethodDeps): Method[] {
  return [
    method({
      name: "chain_getTotalSupply",
      summary:
        "Returns the total supply after a block, minted less burnt amounts, with its parts. Unknown amounts are null.",
      params: { number: optional(blockNumber, "latest" as const), showPartial: optional(boolean, false) },
      result: plain<object>("supply", supplySchema),
      handle: async ({ number, showPartial }) => {
        const block = findHead(deps.chain, number);
        if (block === undefined) throw unknownBlock(deps.chain, number);
        const totals = await deps.supply.totals(block.header.number);
        if (totals === undefined) throw failure("supply checkpoint not found");
        return supplyJson(totals, burntOf(deps, block.header.number), showPartial);
      },
    }),
  ];
}

/** Blocks between two sums that the Go node stores. */
const CHECKPOINT_INTERVAL = 128;

/** Returns the Go node's error: it looks for the stored sum before the block, and then for the blocks behind it. */
function unknownBlock(chain: Chain, number: BlockNumber): RpcError {
  const isBehind =
    typeof number === "number" && number - (number % CHECKPOINT_INTERVAL) > chain.head().header.number;
  return failure(isBehind ? "supply checkpoint not found" : "block not found");
}

/** Burnt amounts, in peb; undefined for an unknown amount. */
interface Burnt {
  readonly number: number;
  readonly zeroBurn: bigint | undefined;
  readonly deadBurn: bigint | undefined;
  readonly kip103Burn: bigint | undefined;
  readonly kip160Burn: bigint | undefined;
  readonly error: string | undefined;
}

function supplyJson(
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
    totalSupply: isWhole ? amountJson(minted - burnt) : null,
    totalMinted: toQuantity(minted),
    totalBurnt: isWhole ? amountJson(burnt) : null,
    burntFee: toQuantity(burntFees),
    zeroBurn: amountJson(burns.zeroBurn),
    deadBurn: amountJson(burns.deadBurn),
    kip103Burn: amountJson(burns.kip103Burn),
    kip160Burn: amountJson(burns.kip160Burn),
  };
}

/** Formats an amount, also one below zero: a rebalancing may have minted more than it burnt, or burnt all there was. */
function amountJson(amount: bigint | undefined): string | null {
  if (amount === undefined) return null;
  return amount < 0n ? `-${toQuantity(-amount)}` : toQuantity(amount);
}

function burntOf(deps: SupplyMethodDeps, number: number): Burnt {
  const { chain } = deps;
  const { config } = chain;
  try {
    const state = chain.stateAt(number);
    const burntBy = (key: string, contract: Address): bigint | undefined => {
      const at = config.forks.get(key) ?? 0;
      return at === 0 || isZero(contract) || number < at ? 0n : memoBurn(deps, contract);
    };
    const kip103Burn = burntBy("kip103CompatibleBlock", config.kip103ContractAddress);
    const kip160Burn = burntBy("kip160CompatibleBlock", config.kip160ContractAddress);
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
    return { number, ...unknown, error: (error as Error).message }; // errors with a code come from the state
  }
}

const NO_MEMO = "cannot determine rebalance (kip103, kip160) burn amount: rebalance memo empty";
/** Chain id of Kairos, whose rebalancing memo is prose. */
const KAIROS = 1001n;
const KAIROS_BURNT = -3_704_329_462_904_320_084_000_000_000n;

/**
 * Returns the burnt amount in the memo of a rebalancing contract (KIP-103, KIP-160); undefined for an
 * unreadable memo. Reads the newest block, because the memo is written some time after the rebalancing.
 */
function memoBurn({ chain, governance }: SupplyMethodDeps, contract: Address): bigint | undefined {
  const output = governance.contracts(chain.head().header.number).call(contract, encodeCall("memo()"));
  if (output === undefined || output.length === 0) return undefined;
  try {
    const text = Buffer.from(new AbiTuple(output).bytes(0)).toString();
    if (chain.config.chainId === KAIROS && text.startsWith("before")) return KAIROS_BURNT;
    const memo: unknown = JSON.parse(text, keepDigits);
    const burnt = (memo as { burnt?: unknown } | null)?.burnt;
    return typeof burnt === "string" && /^-?\d+$/.test(burnt) ? BigInt(burnt) : undefined;
  } catch {
    return undefined; // the memo is free text
  }
}

/** Keeps the digits of numbers in JSON. */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" ? (context?.source ?? String(value)) : value;
}
