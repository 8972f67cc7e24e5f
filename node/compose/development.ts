/** Connects the methods of a development chain to its miner, its writer and its state. */
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Address } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { type OpenStoreReading, storeReading } from "../calls/chain-reading.ts";
import { Impersonation } from "../calls/impersonation.ts";
import { isAmended } from "../chain/amended.ts";
import type { OpenChain } from "../chain/open-chain.ts";
import { storedConfig } from "../chain/stored-config.ts";
import { MAX_TRANSACTION_BLOBS } from "../config/blob-schedule.ts";
import { signersOf } from "../config/rules.ts";
import type { Miner } from "../consensus/miner.ts";
import type { Kzg } from "../crypto/kzg.ts";
import type { RpcEndpoint } from "../jsonrpc/dispatch.ts";
import { failure } from "../jsonrpc/errors.ts";
import { LEGACY_KEY } from "../model/account-key.ts";
import { OptionError } from "../options/error.ts";
import { CustomErrors } from "../presenters/custom-errors.ts";
import { dumpState, loadState } from "../rpc/dev-dump.ts";
import { type GoBack, Snapshots } from "../rpc/dev-snapshots.ts";
import { type AddRows, type Edit, Edits } from "../rpc/dev-state.ts";
import { Fork } from "../rpc/fork.ts";
import { ForkOrigin, type OriginOptions, type OriginPoint } from "../rpc/fork-origin.ts";
import { keptFork } from "../rpc/fork-rows.ts";
import type { NodeRegistryDeps } from "../rpc/node-registry.ts";
import { type Ask, askOf } from "../rpc/own-calls.ts";
import { RequestLog } from "../rpc/request-log.ts";
import type { AdjustableClock } from "../runtime/adjustable-clock.ts";
import type { Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { withCellProofs } from "../txpool/blobs.ts";
import type { Database } from "./database.ts";
import type { NodeOptions } from "./options.ts";

/** Parts of a development chain. */
export interface DevelopmentParts {
  readonly open: OpenChain;
  readonly miner: Miner;
  readonly clock: AdjustableClock;
  readonly options: Pick<NodeOptions, "network" | "development">;
  readonly database: Database;
  readonly kzg: Kzg;
  readonly requestLog: RequestLog;
  readonly origin: ForkOrigin | undefined;
  /** Restarts the reader threads, with the signers that are set now. */
  readonly renewReaders: () => void;
}

/** Opens the readable log of a development chain; undefined for other chains. */
function openRequestLog({
  options: { development },
  open: { chain },
}: {
  readonly options: Pick<NodeOptions, "development">;
  readonly open: OpenChain;
}): RequestLog | undefined {
  if (development === undefined) return undefined;
  const { logRequests, artifacts } = development;
  const errors = new CustomErrors(artifacts);
  const log = new RequestLog({ isOn: logRequests, errors, write: (text) => process.stdout.write(text) });
  chain.onHead(({ header }) => log.addBlock(header.number));
  return log;
}

type DevelopmentDeps = Pick<
  NodeRegistryDeps,
  "development" | "impersonation" | "coinbase" | "completeBlobs" | "afterSubmit"
> & {
  readonly fork: Fork;
};

/**
 * Opens the origin that the options of a development chain name, or that its data directory does. Throws `OptionError`
 * when it does not answer, or when the directory has another chain.
 */
export async function openOrigin(
  { development }: Pick<NodeOptions, "development">,
  store: Rows,
): Promise<ForkOrigin | undefined> {
  if (development === undefined) return undefined;
  const point = keptFork(store)?.point;
  const target = point === undefined ? newTarget(development, store) : keptTarget(development, point);
  if (target === undefined) return undefined;
  const cacheDirectory = forkCache();
  const origin = await ForkOrigin.open({ ...target, cacheDirectory }).catch((cause: unknown) => {
    throw new OptionError("bad-value", `--fork-url: ${messageOf(cause)}`, { cause });
  });
  if (point === undefined || origin.point.hash === point.hash) return origin;
  throw clash(`block ${point.number} at this URL is not the one that the data directory forks`);
}

type ForkOptions = Pick<NonNullable<NodeOptions["development"]>, "forkUrl" | "forkBlock">;
type ForkTarget = Omit<OriginOptions, "cacheDirectory">;

function newTarget({ forkUrl, forkBlock }: ForkOptions, store: Rows): ForkTarget | undefined {
  if (forkUrl === undefined) {
    if (forkBlock !== undefined) throw clash("--fork-block-number needs --fork-url");
    return undefined;
  }
  if (store.get(tables.meta.key("config")) === undefined) return { url: forkUrl, number: forkBlock };
  throw clash("the data directory has a chain that is no fork: --fork-url needs a new one");
}

/** A fork that is kept goes on at its block, at the endpoint that it had or at another one. */
function keptTarget({ forkUrl, forkBlock }: ForkOptions, point: OriginPoint): ForkTarget {
  const { url, number } = point;
  if (forkBlock !== undefined && forkBlock !== number)
    throw clash(`the data directory has a fork of block ${number}`);
  if (forkUrl === undefined || forkUrl === url) return { url, number, point };
  return { url: forkUrl, number };
}

function clash(message: string): OptionError {
  return new OptionError("clash", message);
}

/** Directory of what forks have fetched, by chain and block. */
function forkCache(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "knit", "forks");
}

/** Parts that only a development chain has; on other chains its functions do nothing. */
export interface Development {
  readonly deps: DevelopmentDeps | undefined;
  readonly stateFiles: StateFiles | undefined;
  /** Returns an endpoint whose requests are logged. */
  follow(endpoint: RpcEndpoint): RpcEndpoint;
  /** Sets the endpoint of all methods, from which the log takes traces. */
  traceWith(endpoint: RpcEndpoint): void;
}

/** Opens the parts of a development chain; those that change it only where this node makes the blocks. */
export function openDevelopment(
  parts: Omit<DevelopmentParts, "miner" | "requestLog"> & { readonly miner: Miner | undefined },
): Development {
  const { miner } = parts;
  const log = openRequestLog(parts);
  const deps = miner && log && developmentDeps({ ...parts, miner, requestLog: log });
  return {
    deps,
    stateFiles: deps && stateFiles(deps),
    follow: (endpoint) => {
      const prepared = deps?.fork.follow(endpoint) ?? endpoint;
      return log?.follow(prepared) ?? prepared;
    },
    traceWith: (endpoint) => {
      log?.traceWith(endpoint);
      if (deps !== undefined) deps.fork.ask = askOf(endpoint);
    },
  };
}

/** Returns the parts of a registry that only a development chain has. */
function developmentDeps({
  open,
  miner,
  clock,
  options,
  database,
  kzg,
  requestLog,
  origin,
  renewReaders,
}: DevelopmentParts): DevelopmentDeps {
  const { chain, writer, nextHeader } = open;
  const { gasLimit } = options.development ?? {};
  if (gasLimit !== undefined) nextHeader.setGasLimit(0, BigInt(gasLimit));
  const impersonation = new Impersonation();
  const edits = new Edits();
  const snapshots = new Snapshots();
  const head = () => chain.head();
  const checkAlone = (): void => {
    if (options.network.port !== undefined)
      throw failure("other nodes would not accept an edited chain: start it without --port");
  };
  const amend = async (edit: Edit, addRows?: AddRows): Promise<void> => {
    checkAlone();
    await miner.idle();
    await writer.exclusively(() => writer.amend(edit, addRows));
  };
  const prepare = async (sender: Address): Promise<void> => {
    checkAlone();
    const account = chain.stateAt(head().header.number).account(sender);
    if (account === undefined || account.key.type === LEGACY_KEY.type) return;
    await amend((world) => world.setAccount(sender, { ...account, key: LEGACY_KEY }));
    edits.add(head().header.number, (world) => {
      const now = world.account(sender);
      if (now !== undefined) world.setAccount(sender, { ...now, key: account.key });
    });
  };
  const setSigner = async (signature: string, signer: Address): Promise<void> => {
    await amend(() => undefined); // marks the chain
    signersOf(chain.config).set(signature, signer);
    renewReaders();
  };
  const vmVersion = (): number => chain.rules(head().header.number + 1).vmVersion;
  const { store } = database;
  const states = storeReading(store);
  const accounts = (): Promise<string[]> => accountsOf(states);
  const chainId = (): bigint => chain.config.chainId;
  const fork = new Fork({ amend, edits, vmVersion, head, store, accounts, chainId }, origin);
  const back = { open, miner, clock, amend, edits, snapshots, fork };
  return {
    fork,
    development: {
      miner,
      clock,
      head,
      goBack: (point) => goBack(back, point),
      amend,
      edits,
      snapshots,
      nextHeader,
      impersonation,
      setSigner,
      headMs: headTime(chain),
      vmVersion,
      instance: randomBytes(32),
      requestLog,
      fork,
      ask: preparedAsk(fork),
      openOrigin: (target) => ForkOrigin.open({ ...target, cacheDirectory: forkCache() }),
      states,
    },
    coinbase: () => miner.rewardbase,
    impersonation: { has: (sender) => impersonation.has(sender), prepare },
    completeBlobs: (tx) => withCellProofs(tx, { kzg, maxBlobs: MAX_TRANSACTION_BLOBS }),
    afterSubmit: () => miner.idle(),
  };
}

interface GoBackDeps extends Pick<DevelopmentParts, "open" | "miner" | "clock"> {
  readonly amend: (edit: Edit, addRows?: AddRows) => Promise<void>;
  readonly edits: Edits;
  readonly snapshots: Snapshots;
  readonly fork: Fork;
}

async function goBack(
  { open: { writer, nextHeader }, miner, clock, amend, edits, snapshots, fork }: GoBackDeps,
  point: Parameters<GoBack>[0],
): Promise<void> {
  const { number, gasLimit } = point;
  await miner.idle();
  await writer.exclusively(() => writer.setHead(number));
  snapshots.forgetAfter(number);
  nextHeader.forgetAfter(number);
  if (gasLimit !== undefined) nextHeader.setGasLimit(number + 1, gasLimit);
  const undo = edits.undoAfter(point.edits, number);
  const forget = fork.forget(fork.lostAt(point));
  await (undo === undefined ? fork.write(forget) : amend(undo, forget));
  clock.move(point.offsetMs - clock.offsetMs);
  clock.releaseTo(point.timeMs);
}

/** Returns the addresses of the newest state's accounts. */
async function accountsOf(states: OpenStoreReading): Promise<string[]> {
  using reading = states();
  const addresses: string[] = [];
  for await (const { address } of reading.states.accounts(reading.states.number)) {
    if (address === undefined) throw failure("a fork needs the preimages of the state: --state.preimages");
    addresses.push(toHex(address));
  }
  return addresses;
}

/** Returns calls of the node's own methods that find on a fork what they read. */
function preparedAsk(fork: Fork): Ask {
  return async (name, ...params) => {
    if (fork.origin !== undefined) await fork.prepare([{ method: name, params }]);
    return fork.ask?.(name, ...params);
  };
}

/** Returns a function for the time at which the newest block became it. */
function headTime(chain: OpenChain["chain"]): () => number {
  let ms = Date.now();
  chain.onHead(() => {
    ms = Date.now();
  });
  return () => ms;
}

/** State of a development chain as a file, in Anvil's format. */
export interface StateFiles {
  /** Returns the newest state as JSON. */
  dump(): Promise<string>;
  /** Sets the accounts of a dump, JSON or gzipped JSON. Throws `RpcError` for anything else. */
  load(bytes: Uint8Array): Promise<void>;
}

function stateFiles({ development }: DevelopmentDeps): StateFiles | undefined {
  return (
    development && { dump: () => dumpState(development), load: (bytes) => loadState(development, bytes) }
  );
}

/** Throws `OptionError` when peers may connect to a development chain whose blocks other nodes would not accept. */
export function refuseLoneChain(
  { network, development }: Pick<NodeOptions, "network" | "development">,
  store: Rows,
): void {
  if (network.port === undefined) return;
  const forks = development === undefined ? new Map<string, number>() : storedConfig(store).forks;
  if (forks.has("osakaCompatibleBlock") && !forks.has("randaoCompatibleBlock"))
    throw new OptionError(
      "clash",
      "this chain has blobs without the random values of validators, other nodes would not accept it: start it without --port",
    );
  if (!isAmended(store)) return;
  throw new OptionError(
    "clash",
    "this development chain was edited, other nodes would not accept it: start it without --port",
  );
}
