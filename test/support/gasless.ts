/** Gasless transactions (KIP-247) with the values of the Go node's tests, and the contracts that they call. */
import { fixedBytes } from "../../node/bytes/integer.ts";
import type { Chain } from "../../node/chain/chain.ts";
import { developmentGenesis } from "../../node/chain/development.ts";
import { rulesAt } from "../../node/config/rules.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { type Gasless, openGasless } from "../../node/gasless/gasless.ts";
import type { GaslessOptions } from "../../node/gasless/options.ts";
import { encodeCall } from "../../node/governance/abi.ts";
import { REGISTRY } from "../../node/governance/system-contracts.ts";
import type { Header } from "../../node/model/header.ts";
import type { Transaction } from "../../node/model/transaction.ts";
import { createMetrics } from "../../node/observe/metrics.ts";
import type { Clock } from "../../node/runtime/clock.ts";
import type { World } from "../../node/state/world/world.ts";
import { answeringCode } from "./contract-code.ts";
import { addressWord } from "./contracts.ts";
import { aKey, aWorld, CHAIN_ID, putContract } from "./execution.ts";
import { aGenesisBlock, aHeader } from "./headers.ts";
import { aTransaction, type TestSigner } from "./pool-transactions.ts";

/** The swap router, and the tokens that it takes. */
export const ROUTER: Uint8Array = fixedBytes(0x1234, 20);
export const TOKEN: Uint8Array = fixedBytes(0xabcd, 20);
export const OTHER_TOKEN: Uint8Array = fixedBytes(0xbcde, 20);

/** A number of the token that every account has and has approved, and that the router asks for. */
const HELD = 10n;
const MAX_AMOUNT = 2n ** 256n - 1n;

/** Code of a router that takes both tokens, and accepts every swap. */
export const ROUTER_CODE: Uint8Array = answeringCode([
  ["getSupportedTokens()", [32n, 2n, addressWord(TOKEN), addressWord(OTHER_TOKEN)]],
  ["getAmountIn(address,uint256)", [HELD]],
]);
/** Code of a token of which everybody has `HELD`, all approved. */
export const TOKEN_CODE: Uint8Array = answeringCode([
  ["balanceOf(address)", [HELD]],
  ["allowance(address,address)", [HELD]],
  ["approve(address,uint256)", [1n]],
]);
/** Code of a registry that names the router. */
export const ROUTER_REGISTRY_CODE: Uint8Array = answeringCode([
  ["getActiveAddr(string)", [addressWord(ROUTER)]],
]);

/** Facts of a gasless transaction that a test sets. */
interface CallFacts {
  readonly from: TestSigner;
  readonly nonce: number;
  readonly to?: Uint8Array;
  readonly price?: number | bigint;
  readonly chainId?: bigint;
  readonly code?: number;
}

/** An approval of everything for the router, unless the facts say otherwise. */
export function anApproval(
  given: CallFacts & { readonly spender?: Uint8Array; readonly amount?: bigint },
): Transaction {
  const { spender = ROUTER, amount = MAX_AMOUNT, to = TOKEN, ...facts } = given;
  const input = encodeCall("approve(address,uint256)", addressWord(spender), amount);
  return aTransaction({ price: 1, ...facts, to, gas: 1_000_000, input });
}

/** Members of a swap that a test sets. */
export interface SwapFacts {
  readonly token?: Uint8Array;
  readonly amountIn?: bigint;
  readonly minAmountOut?: bigint;
  readonly amountRepay?: bigint;
  readonly deadline?: bigint;
}

/** Fees of an approval, a swap and the transaction that lends, at a price of 1 peb. */
export const PAIR_FEE = 2_021_000n;
/** The same without an approval. */
export const SINGLE_FEE = 1_021_000n;

/** A swap of 10 tokens behind an approval, unless the facts say otherwise. */
export function aSwap(given: CallFacts & SwapFacts): Transaction {
  const { token = TOKEN, amountIn = HELD, amountRepay = PAIR_FEE, to = ROUTER, ...rest } = given;
  const { minAmountOut = amountRepay, deadline = 300n, ...facts } = rest;
  const input = encodeCall(
    "swapForGas(address,uint256,uint256,uint256,uint256)",
    addressWord(token),
    amountIn,
    minAmountOut,
    amountRepay,
    deadline,
  );
  return aTransaction({ price: 1, ...facts, to, gas: 1_000_000, input });
}

/** A swap without an approval. */
export function aSingleSwap(given: CallFacts & SwapFacts): Transaction {
  return aSwap({ amountRepay: SINGLE_FEE, ...given });
}

/** The proposer that lends. */
export const LENDER_KEY: Uint8Array = aKey(2);

/** Gasless rules on a chain whose head a test moves. */
export interface GaslessWorld {
  readonly gasless: Gasless;
  readonly world: World;
  /** The rules of the head and the next block. */
  readonly changes: { randao: boolean; nextRandao: boolean };
  readonly head: () => Header;
  /** Makes the contracts be read again. */
  grow(): void;
}

/** Opens the rules in a world with the contracts. */
export async function aGaslessWorld(
  given: { readonly options?: Partial<GaslessOptions>; readonly clock?: Clock } = {},
): Promise<GaslessWorld> {
  const world = await aWorld();
  for (const [address, code] of [
    [REGISTRY, ROUTER_REGISTRY_CODE],
    [ROUTER, ROUTER_CODE],
    [TOKEN, TOKEN_CODE],
    [OTHER_TOKEN, TOKEN_CODE],
  ] as const) {
    putContract(world, address, code);
  }
  const { config } = developmentGenesis({
    validator: addressOfKey(LENDER_KEY),
    keys: [],
    chainId: Number(CHAIN_ID),
    balance: 0n,
    time: 1,
  });
  const changes = { randao: true, nextRandao: true };
  const genesis = aGenesisBlock([]);
  let head = { ...genesis, header: { ...genesis.header, time: 100 } };
  const chain = {
    config,
    head: () => head,
    header: () => head,
    rules: (number: number) => ({
      ...rulesAt(config, number),
      randao: number > head.header.number ? changes.nextRandao : changes.randao,
    }),
    stateAt: () => world,
    worldAt: () => world,
    author: () => undefined,
  } as unknown as Chain; // the rules read no more of it
  const options = {
    isDisabled: false,
    allowedTokens: "all" as const,
    maxPending: 100,
    maxQueued: 200,
    checkLevel: 3,
    ...given.options,
  };
  const gasless = openGasless({
    chain,
    options,
    sign: (digest) => sign(digest, LENDER_KEY),
    clock: given.clock ?? { now: () => 0 },
    metrics: createMetrics(),
  });
  const grow = (): void => {
    head = { ...head, header: { ...aHeader(head, []), time: head.header.time } };
  };
  return { gasless, world, changes, head: () => head.header, grow };
}
