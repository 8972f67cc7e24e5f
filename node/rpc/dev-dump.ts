/**
 * State of a development chain as a file, in Anvil's format: JSON with `block` and `accounts`, gzipped as hex over
 * JSON-RPC. Knit adds `knit` to an account: its kind, account key and code information, which Anvil passes over. A dump
 * of Anvil has neither; its accounts get the legacy key.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import type { Address } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { bytesToBigint, toQuantity } from "../bytes/integer.ts";
import { messageOf } from "../bytes/message-of.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import type { OpenStoreReading } from "../calls/chain-reading.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { CodecError } from "../jsonrpc/codec.ts";
import { address as addressCodec, data, quantity, quantity64 } from "../jsonrpc/codecs/hex.ts";
import { boolean } from "../jsonrpc/codecs/plain.ts";
import { failure, invalidParams, RpcError, rpcCode } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { type Account, emptyAccount } from "../model/account.ts";
import { encodeAccountKey, readAccountKey } from "../model/account-key.ts";
import type { Block } from "../model/block.ts";
import type { World } from "../state/world/world.ts";
import type { Batch } from "../store/store.ts";
import { type DevStateDeps, putCode, restore } from "./dev-state.ts";

/** Parts of a development chain that a dump reads and changes. */
export interface DevDumpDeps extends Pick<DevStateDeps, "amend" | "edits" | "vmVersion"> {
  readonly head: () => Block;
  readonly states: OpenStoreReading;
  readonly fork: DumpedFork;
}

/** Parts of a fork that a dump needs: slots that are zero here may have a value at the origin. */
export interface DumpedFork {
  /** Resolves when it is known what the chain has of its own. */
  settle(): Promise<void>;
  /** Takes loaded accounts (`0x...`) and slots (`0x...:0x...`) as read. */
  adopt(batch: Batch, names: readonly string[]): void;
  /** Returns the slots by account that were read. */
  slots(): ReadonlyMap<string, readonly string[]>;
}

/** Anvil's; blocks of Kaia have none. */
const GAS_LIMIT = 30_000_000;
const ZERO = `0x${"0".repeat(64)}`;
/** Bytes of a dump as JSON. */
const MAX_BYTES = 512 * 2 ** 20;

/** An account in a dump. Only a dump of Knit has `knit`. */
export interface FileAccount {
  readonly nonce: number;
  readonly balance: string;
  readonly code: string;
  readonly storage: Readonly<Record<string, string>>;
  readonly knit?: { readonly kind: Account["kind"]; readonly key: string; readonly codeInfo: number };
}

/** Returns the newest state as JSON. Throws `RpcError` above 512 MiB, or where the address of an account is unknown. */
export async function dumpState({
  head,
  states,
  fork,
}: Pick<DevDumpDeps, "head" | "states" | "fork">): Promise<string> {
  const known = fork.slots();
  using reading = states();
  const number = reading.states.number;
  const view = reading.states.view(number);
  const accounts: Record<string, FileAccount> = {};
  let size = 0;
  for await (const { address, account } of reading.states.accounts(number)) {
    if (address === undefined) throw failure("a dump needs the preimages of the state: --state.preimages");
    const storage: Record<string, string> = {};
    for (const slot of known.get(toHex(address)) ?? []) storage[slot] = ZERO;
    for await (const { key, value } of reading.states.slots(number, address)) {
      if (key === undefined) throw failure("a dump needs the preimages of the state: --state.preimages");
      storage[toHex(key)] = toHex(value);
      size += 140;
    }
    const code = toHex(view.code(address));
    size += code.length + 300;
    if (size > MAX_BYTES) throw new RpcError(rpcCode.tooLarge, `the dump is larger than ${MAX_BYTES} bytes`);
    const { kind, codeInfo } = account;
    const knit = { kind, key: toHex(encodeAccountKey(account.key)), codeInfo };
    const [nonce, balance] = [Number(account.nonce), toQuantity(account.balance)];
    accounts[toHex(address)] = { nonce, balance, code, storage, knit };
  }
  const { header } = head();
  const block = {
    number: toQuantity(header.number),
    beneficiary: toHex(header.rewardbase),
    timestamp: toQuantity(header.time),
    gas_limit: GAS_LIMIT,
    basefee: Number(header.baseFee ?? 0n),
    difficulty: "0x0",
    prevrandao: `0x${"0".repeat(64)}`,
  };
  return JSON.stringify({ block, accounts, best_block_number: null, blocks: [], transactions: [] });
}

/**
 * Sets the accounts of a dump; other accounts stay, and so does the chain. `bytes` are JSON, or JSON that is gzipped.
 * Throws `RpcError` for anything else, with nothing changed.
 */
export async function loadState(
  { amend, edits, head, vmVersion, fork }: DevDumpDeps,
  bytes: Uint8Array,
): Promise<void> {
  const accounts = accountsIn(bytes);
  const names = accounts.flatMap(namesOf);
  const undo: Parameters<typeof amend>[0][] = [];
  await fork.settle();
  await amend(
    (world) => {
      for (const each of accounts) undo.push(putAccount(world, each, vmVersion()));
    },
    (batch) => fork.adopt(batch, names),
  );
  const { number } = head().header;
  edits.add(number, (world) => {
    for (const each of undo.toReversed()) each(world);
  });
}

function namesOf({ address, slots }: LoadedAccount): string[] {
  const name = toHex(address);
  return [name, ...slots.map(([key]) => `${name}:0x${key.toString(16).padStart(64, "0")}`)];
}

/** Puts an account with its slots into a world; contracts without code information get that version. Returns the undo. */
export function putAccount(
  world: World,
  { address, account, code, slots }: LoadedAccount,
  vm: number,
): (later: World) => void {
  const back = restore(world, address);
  const before = slots.map(([key]) => [key, world.slot(address, key)] as const);
  world.setAccount(address, { ...(world.account(address) ?? emptyAccount()), ...account });
  if (account.kind === undefined) putCode(world, address, { code, vm });
  else world.setCode(address, code);
  for (const [key, value] of slots) world.setSlot(address, key, value);
  return (later) => {
    for (const [key, value] of before) later.setSlot(address, key, value);
    back(later);
  };
}

/** An account of a dump, decoded. */
export interface LoadedAccount {
  readonly address: Address;
  readonly account: Partial<Account>;
  readonly code: Uint8Array;
  readonly slots: readonly (readonly [key: bigint, value: bigint])[];
}

function accountsIn(bytes: Uint8Array): LoadedAccount[] {
  try {
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const unpacked = isPacked ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : Buffer.from(bytes);
    const { accounts } = recordIn(JSON.parse(unpacked.toString("utf8")));
    return Object.entries(recordIn(accounts)).map(([name, json]) => accountIn(name, json));
  } catch (error) {
    throw invalidParams(`Failed to decode state dump: ${messageOf(error)}`);
  }
}

/** Decodes an account of a dump. Throws `CodecError`. */
export function accountIn(name: string, json: unknown): LoadedAccount {
  const { nonce, balance, code = "0x", storage = {}, knit } = recordIn(json);
  const slots = Object.entries(recordIn(storage)).map(
    ([key, value]) => [wordIn(key), wordIn(value)] as const,
  );
  const plain = {
    nonce: typeof nonce === "number" ? BigInt(nonce) : quantity64.decode(nonce),
    balance: quantity.decode(balance),
  };
  const loaded = { address: addressCodec.decode(name), code: data.decode(code), slots };
  return { ...loaded, account: knit === undefined ? plain : { ...plain, ...ownMembers(knit, loaded.code) } };
}

/** Returns the members that only a dump of Knit has. */
function ownMembers(json: unknown, code: Uint8Array): Partial<Account> {
  const { kind, key, codeInfo } = recordIn(json);
  if ((kind !== "eoa" && kind !== "contract") || !Number.isInteger(codeInfo))
    throw new CodecError("an account has an unknown kind");
  const none = code.length === 0 ? { codeHash: EMPTY_HASH } : {};
  return { kind, key: readAccountKey(new RlpCursor(data.decode(key))), codeInfo: Number(codeInfo), ...none };
}

function wordIn(json: unknown): bigint {
  if (typeof json !== "string" || !/^0x[0-9a-f]{0,64}$/i.test(json))
    throw new CodecError("a slot is no word");
  return bytesToBigint(Buffer.from(json.slice(2).padStart(64, "0"), "hex"));
}

function recordIn(json: unknown): Readonly<Record<string, unknown>> {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new CodecError("want an object");
  return json as Readonly<Record<string, unknown>>; // of JSON
}

/** The methods of dumps. */
export function devDumpMethods(deps: DevDumpDeps): Method[] {
  return [
    method({
      name: "dev_dumpState",
      aliases: ["anvil_dumpState", "hardhat_dumpState"],
      summary: "Returns the newest state as gzipped JSON, in Anvil's format with Kaia's members added.",
      params: {},
      result: data,
      handle: async () => gzipSync(await dumpState(deps)),
    }),
    method({
      name: "dev_loadState",
      aliases: ["anvil_loadState", "hardhat_loadState"],
      summary: "Sets the accounts of a dump of `dev_dumpState` or Anvil; other accounts and the blocks stay.",
      params: { state: data },
      result: boolean,
      handle: async ({ state }) => {
        await loadState(deps, state);
        return true;
      },
    }),
  ];
}
