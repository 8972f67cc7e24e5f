/** The pool, the identity and the reset of a development chain, as Anvil and Hardhat Network have them. */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { Impersonation } from "../calls/impersonation.ts";
import type { Chain } from "../chain/chain.ts";
import { forks } from "../config/forks.ts";
import { programVersion } from "../config/version.ts";
import type { Miner } from "../consensus/miner.ts";
import { type Codec, CodecError, optional } from "../jsonrpc/codec.ts";
import { address, hash, nullable } from "../jsonrpc/codecs/hex.ts";
import { boolean, nothing, plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure, invalidParams } from "../jsonrpc/errors.ts";
import { goText, plainValue } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { namedSchema, nullableSchema, plainSchemas, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";
import { senderOf, type Transaction } from "../model/transaction.ts";
import type { BlockMembers } from "../presenters/block.ts";
import type { AdjustableClock } from "../runtime/adjustable-clock.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { GoBack, Snapshots } from "./dev-snapshots.ts";
import type { Fork } from "./fork.ts";
import type { ForkOrigin } from "./fork-origin.ts";
import { wholeNumber } from "./whole-number.ts";

/** Parts of a development chain that these methods read and change. */
export interface DevNodeDeps {
  readonly chain: Pick<
    Chain,
    "config" | "head" | "genesisHash" | "rules" | "nextBaseFee" | "gasLimit" | "findTransaction"
  >;
  readonly pool: Pick<TxPool, "remove" | "content">;
  readonly blockMembers: Pick<BlockMembers, "gasLimit">;
  readonly miner: Pick<Miner, "mode" | "setRewardbase" | "reset">;
  readonly clock: AdjustableClock;
  readonly goBack: GoBack;
  readonly snapshots: Pick<Snapshots, "clear">;
  readonly impersonation: Impersonation;
  readonly fork: Pick<Fork, "origin" | "begin" | "moveTo">;
  /** Opens the origin of a fork. Rejects with `RpcError`. */
  readonly openOrigin: (options: {
    readonly url: string;
    readonly number?: number | undefined;
  }) => Promise<ForkOrigin>;
  /** Identifies this run of the chain: 32 bytes. */
  readonly instance: Uint8Array;
}

/** The methods of the pool, of the node's identity and of its reset. */
export function devNodeMethods(deps: DevNodeDeps): Method[] {
  return [...poolMethods(deps), ...identityMethods(deps), ...resetMethods(deps), coinbaseMethod(deps)];
}

/** Removes the transactions of the pool that are unwanted, all by default. */
function removeWaiting(
  pool: DevNodeDeps["pool"],
  isUnwanted: (tx: Transaction) => boolean = () => true,
): undefined {
  const { pending, queued } = pool.content();
  for (const each of [...pending.values(), ...queued.values()].flat())
    if (isUnwanted(each)) pool.remove(each.hash);
}

function poolMethods({ chain, pool }: DevNodeDeps): Method[] {
  return [
    method({
      name: "dev_dropTransaction",
      aliases: ["anvil_dropTransaction"],
      summary:
        "Removes a transaction from the pool. Returns its hash, or null when the pool does not have it.",
      params: { hash },
      result: nullable(hash),
      handle: ({ hash: wanted }) => (pool.remove(wanted) ? wanted : undefined),
    }),
    method({
      name: "hardhat_dropTransaction",
      summary:
        "Removes a transaction from the pool. Returns false when the pool does not have it; refuses one that is in a block.",
      params: { hash },
      result: boolean,
      handle: ({ hash: wanted }) => {
        if (chain.findTransaction(wanted) === undefined) return pool.remove(wanted);
        const message = `Transaction ${toHex(wanted)} cannot be dropped because it's already mined`;
        throw invalidParams(message);
      },
    }),
    method({
      name: "dev_dropAllTransactions",
      aliases: ["anvil_dropAllTransactions", "hardhat_dropAllTransactions"],
      summary: "Removes all transactions from the pool.",
      params: {},
      result: nothing,
      handle: () => removeWaiting(pool),
    }),
    method({
      name: "dev_removePoolTransactions",
      aliases: ["anvil_removePoolTransactions"],
      summary: "Removes all transactions of a sender from the pool.",
      params: { sender: address },
      result: nothing,
      handle: ({ sender }) =>
        removeWaiting(pool, (tx) => equalBytes(senderOf(tx, chain.config.chainId), sender)),
    }),
  ];
}

const { text: textSchema, integer, nothing: nullSchema, boolean: booleanSchema } = plainSchemas;
const { quantity, hash: hashSchema } = schemaRefs;
const infoSchema = recordSchema({
  currentBlockNumber: quantity,
  currentBlockTimestamp: integer,
  currentBlockHash: hashSchema,
  hardFork: textSchema,
  transactionOrder: textSchema,
  environment: recordSchema({ baseFee: quantity, chainId: integer, gasLimit: quantity, gasPrice: quantity }),
  forkConfig: recordSchema({
    forkUrl: nullableSchema(textSchema),
    forkBlockNumber: nullableSchema(integer),
    forkRetryBackoff: nullSchema,
  }),
});
const metadataSchema = recordSchema({
  clientVersion: textSchema,
  chainId: integer,
  instanceId: hashSchema,
  latestBlockNumber: integer,
  latestBlockHash: hashSchema,
  isAutomine: booleanSchema,
  timeOffset: integer,
  "forkedNetwork?": recordSchema({ chainId: integer, forkBlockNumber: integer, forkBlockHash: hashSchema }),
});

function identityMethods({ chain, miner, clock, instance, fork, blockMembers }: DevNodeDeps): Method[] {
  const newestFork = (): string => {
    const next = chain.head().header.number + 1;
    const active = forks.filter(({ configKey }) => (chain.config.forks.get(configKey) ?? Infinity) <= next);
    return (active.at(-1)?.configKey ?? "").replace(/CompatibleBlock$/, "");
  };
  return [
    method({
      name: "dev_nodeInfo",
      aliases: ["anvil_nodeInfo"],
      summary:
        "Returns the newest block, its time and fork, the order of transactions and the environment of the next block.",
      params: {},
      result: plain<object>(
        "{currentBlockNumber, currentBlockTimestamp, currentBlockHash, hardFork, transactionOrder, environment, forkConfig}",
        infoSchema,
      ),
      handle: () => {
        const { header, hash: head } = chain.head();
        const gasPrice = toQuantity(chain.nextBaseFee() ?? 0n);
        return {
          currentBlockNumber: toQuantity(header.number),
          currentBlockTimestamp: header.time,
          currentBlockHash: toHex(head),
          hardFork: newestFork(),
          transactionOrder: "fees",
          environment: {
            baseFee: gasPrice,
            chainId: Number(chain.config.chainId),
            gasLimit: toQuantity(chain.gasLimit(header.number + 1) ?? blockMembers.gasLimit),
            gasPrice,
          },
          forkConfig: {
            forkUrl: fork.origin?.point.url ?? null,
            forkBlockNumber: fork.origin?.point.number ?? null,
            forkRetryBackoff: null,
          },
        };
      },
    }),
    method({
      name: "dev_metadata",
      aliases: ["anvil_metadata", "hardhat_metadata"],
      summary: "Returns the version, the id of this run, the chain and its newest block.",
      params: {},
      result: plain<object>(
        "{clientVersion, chainId, instanceId, latestBlockNumber, latestBlockHash}",
        metadataSchema,
      ),
      handle: () => ({
        clientVersion: `knit/v${programVersion()}`,
        chainId: Number(chain.config.chainId),
        instanceId: toHex(instance),
        latestBlockNumber: chain.head().header.number,
        latestBlockHash: toHex(chain.head().hash),
        isAutomine: miner.mode.isAuto,
        timeOffset: Math.round(clock.offsetMs / 1000),
        ...(fork.origin && { forkedNetwork: forkedNetwork(fork.origin) }),
      }),
    }),
  ];
}

function forkedNetwork({ point }: ForkOrigin): object {
  return { chainId: point.chainId, forkBlockNumber: point.number, forkBlockHash: point.hash };
}

function coinbaseMethod({ miner }: DevNodeDeps): Method {
  return method({
    name: "dev_setCoinbase",
    aliases: ["anvil_setCoinbase", "hardhat_setCoinbase"],
    summary: "Sets the account that receives the rewards of later blocks.",
    params: { account: address },
    result: boolean,
    handle: ({ account }: { readonly account: Address }) => {
      miner.setRewardbase(account);
      return true;
    },
  });
}

function resetMethods(deps: DevNodeDeps): Method[] {
  const { chain, pool, miner, clock, goBack, snapshots, impersonation, fork, openOrigin } = deps;
  /** A fork that cannot be opened leaves the chain as it is. */
  const reset = async (options: ResetOptions, keepsFork: boolean): Promise<boolean> => {
    const current = fork.origin?.point;
    const url = options.url ?? (options.number === undefined ? undefined : current?.url);
    if (options.number !== undefined && url === undefined) throw failure("a fork needs a URL: jsonRpcUrl");
    const next = url === undefined ? undefined : await openOrigin({ url, number: options.number });
    removeWaiting(pool);
    await goBack({ number: 0, edits: 0, offsetMs: 0, timeMs: 0 });
    clock.restart(chain.head().header.time * 1000);
    snapshots.clear();
    impersonation.clear();
    await fork.begin(next ?? (keepsFork ? fork.origin : undefined));
    return true;
  };
  const params = { options: optional(resetOptions) };
  return [
    method({
      name: "dev_reset",
      aliases: ["anvil_reset"],
      summary:
        "Takes the chain, its state and its clock back to block 0 and empties the pool. `{forking: {jsonRpcUrl, blockNumber?}}` forks another chain; without it a fork stays one.",
      params,
      result: boolean,
      handle: ({ options = {} }) => reset(options, true),
    }),
    method({
      name: "hardhat_reset",
      summary:
        "Resets as `dev_reset` does, with the mode of mining and the coinbase of the start; the chain is no fork afterwards unless `forking` is given.",
      params,
      result: boolean,
      handle: async ({ options = {} }) => {
        await reset(options, false);
        miner.reset();
        return true;
      },
    }),
  ];
}

interface ResetOptions {
  readonly url?: string | undefined;
  readonly number?: number | undefined;
}

/** Schemas of the place to fork at; viem sends null for absent members. */
const POINT = {
  "jsonRpcUrl?": nullableSchema(text.schema),
  "blockNumber?": nullableSchema(wholeNumber.schema),
};

/** Options of a reset: `{forking: {jsonRpcUrl, blockNumber}}`, or what `forking` holds. */
const resetOptions: Codec<ResetOptions> = {
  label: "{forking?}",
  schema: namedSchema("resetOptions", () => recordSchema({ "forking?": recordSchema(POINT), ...POINT })),
  decode(json) {
    if (json === null || json === undefined) return {};
    const { forking, ...rest } = recordIn(json);
    const members = forking === undefined ? rest : { ...recordIn(forking), ...rest };
    const { jsonRpcUrl, blockNumber, ...others } = members;
    const [member] = Object.keys(others);
    if (member !== undefined) throw new CodecError(`a reset has no option ${goText(member)}`);
    return { url: optional(text).decode(jsonRpcUrl), number: optional(wholeNumber).decode(blockNumber) };
  },
  encode: (value) => JSON.stringify(value),
};

function recordIn(json: unknown): Readonly<Record<string, unknown>> {
  if (typeof json !== "object" || json === null || Array.isArray(json) || plainValue(json) !== json)
    throw new CodecError("want an object");
  return json as Readonly<Record<string, unknown>>; // an object of JSON
}
