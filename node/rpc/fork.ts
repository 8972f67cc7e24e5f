/**
 * The fork of a development chain. The virtual machine and the state are synchronous and know nothing of it: before a
 * request is answered, all that it will read is fetched and becomes a part of the chain's own state.
 *
 *   1. Every address that the request names is fetched, and the slot of a request for one.
 *   2. Calls and transactions are traced by `prestateTracer` on the newest state, which lists what they touch. What is
 *      not fetched yet is fetched, and the trace runs again, until it touches nothing new: what a contract reads first
 *      may decide what it reads next.
 *   3. The request is answered as on any other chain, reader threads included. The same call on the same state is not
 *      traced again.
 *
 * What was fetched is an edit of the state after the newest block, so a revert takes it away and it is put back, from
 * the origin's cache, when it is needed again. An account that the chain had before the fork read anything is its own and
 * never fetched. The names of what was fetched are rows of the database, so a kept chain goes on as the same fork.
 */
import type { Address } from "../bytes/brands.ts";
import { bareHex, fromBareHex, toHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { decodeEitherTransaction } from "../calls/raw-transaction.ts";
import type { RpcEndpoint, RpcSession } from "../jsonrpc/dispatch.ts";
import { rpcCode } from "../jsonrpc/errors.ts";
import type { Block } from "../model/block.ts";
import { senderOf } from "../model/transaction.ts";
import { RecentMap } from "../runtime/recent-map.ts";
import type { World } from "../state/world/world.ts";
import type { Batch, Store } from "../store/store.ts";
import { accountIn, putAccount } from "./dev-dump.ts";
import type { AddRows, DevStateDeps } from "./dev-state.ts";
import type { ForkOrigin } from "./fork-origin.ts";
import { deleteNames, keptFork, keptNames, putFork, putNames } from "./fork-rows.ts";
import { type Ask, type Message, messagesIn } from "./own-calls.ts";

/** Parts of a development chain that a fork reads and changes. */
export interface ForkDeps extends Pick<DevStateDeps, "amend" | "edits" | "vmVersion"> {
  readonly store: Store;
  /** Returns the addresses of all accounts of the newest state. */
  readonly accounts: () => Promise<readonly string[]>;
  readonly head: () => Pick<Block, "header" | "hash">;
  readonly chainId: () => bigint;
}

/** Traces of one request; each fetches at least one thing more. */
const MAX_ROUNDS = 200;
/** Calls whose states are remembered, and the length of their texts. */
const MAX_PREPARED = 1_000;
const MAX_PREPARED_TEXT = 4_096;
/** Addresses up to this one are precompiled contracts or reserved for them. */
const LAST_RESERVED = 0x3ffn;
const PRESTATE = { tracer: "prestateTracer" };
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const CALLS =
  /^(?:eth|klay|kaia|chain)_(?:call|estimateGas|estimateComputationCost|createAccessList|sendTransaction|sendTransactionAsFeePayer)$|^debug_traceCall$/;
const RAW = /^(?:eth|klay|kaia|chain)_sendRawTransaction(?:Sync)?$/;
const SLOTS = /_(?:get|set)StorageAt$/;
/** Methods that name addresses and read no state. */
const OTHERS = /Logs$|[fF]ilter|[sS]ubscribe|^(?:ots|admin|personal|txpool|net|web3|rpc)_/;

/** Accounts and slots by name that are a part of the state, with the point at which they became one. */
interface Since {
  readonly number: number;
  /** Edits of the state before it; less than any count for what an earlier run of the node fetched. */
  readonly edits: number;
}

const EARLIER_RUN = -1;

/** The fork of a development chain; without an origin it does nothing. */
export class Fork {
  readonly #deps: ForkDeps;
  readonly #known = new Map<string, Since>();
  /** Accounts that the chain has of its own. */
  #own: ReadonlySet<string> = new Set();
  #origin: ForkOrigin | undefined;
  #settled: Promise<void> | undefined;
  /** Calls the node's own methods. */
  ask: Ask | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** States that calls were prepared for last, by their text: the same call finds everything there. */
  readonly #prepared = new RecentMap<string>(MAX_PREPARED);
  /** Times that the chain went back. */
  #returns = 0;

  constructor(deps: ForkDeps, origin: ForkOrigin | undefined) {
    this.#deps = deps;
    this.#origin = origin;
  }

  /** The chain that is forked; undefined for none. */
  get origin(): ForkOrigin | undefined {
    return this.#origin;
  }

  /** Reads the same block of the origin from another endpoint. */
  moveTo(origin: ForkOrigin): void {
    this.#origin = origin;
  }

  /** Forks another chain, or none, from block 0 on, to which the chain has gone back. */
  async begin(origin: ForkOrigin | undefined): Promise<void> {
    await this.settle();
    if (this.#origin !== undefined) await this.#end();
    this.#origin = origin;
    this.#settled = undefined;
  }

  /** Removes what an earlier run of the node fetched after block 0, which no edit of this run takes back. */
  async #end(): Promise<void> {
    const left = [...this.#known.keys()];
    const accounts = left.filter((name) => !name.includes(":") && !this.#own.has(name));
    const clear = (batch: Batch): void => {
      deleteNames(batch, left);
      putFork(batch, undefined);
    };
    const destroy = (world: World): void => {
      for (const account of accounts) world.destroy(bytesOf(account));
    };
    if (accounts.length === 0) await this.write(clear);
    else await this.#deps.amend(destroy, clear);
    this.#known.clear();
  }

  /** Finds what the chain has of its own and of the origin, before anything else is fetched or loaded. */
  settle(): Promise<void> {
    this.#settled ??= this.#settle().catch((error: unknown) => {
      this.#settled = undefined; // the next request tries again
      throw error;
    });
    return this.#settled;
  }

  async #settle(): Promise<void> {
    const { store, head, accounts } = this.#deps;
    if (this.#origin === undefined) return;
    const { point } = this.#origin;
    const kept = keptFork(store);
    const own = kept?.point.hash === point.hash ? kept.own : await accounts();
    this.#own = new Set(own);
    await this.write((batch) => putFork(batch, { point, own }));
    const { number } = head().header;
    for (const [name, since] of await keptNames(store))
      if (since <= number) this.#known.set(name, { number: since, edits: EARLIER_RUN });
  }

  /** Writes rows that no edit of the state goes with. */
  async write(addRows: AddRows): Promise<void> {
    const { store } = this.#deps;
    const batch = store.createBatch();
    addRows(batch);
    if (batch.size > 0) await store.write(batch, { sync: true });
  }

  /** Takes accounts and slots of a loaded state as fetched, in the batch that writes them. */
  adopt(batch: Batch, names: readonly string[]): void {
    if (this.#origin === undefined) return;
    const { number } = this.#deps.head().header;
    for (const name of names) this.#known.set(name, { number, edits: this.#deps.edits.count });
    putNames(batch, names, number);
  }

  /** Returns the known slots by account, those whose value is zero too: a dump needs them. */
  slots(): ReadonlyMap<string, readonly string[]> {
    const slots = [...this.#known.keys()].filter((name) => name.includes(":")).map((name) => name.split(":"));
    const byAccount = Map.groupBy(slots, ([account = ""]) => account);
    return new Map([...byAccount].map(([account, pairs]) => [account, pairs.map(([, slot = ""]) => slot)]));
  }

  /** Returns an endpoint whose requests are answered once what they read is fetched. */
  follow(endpoint: RpcEndpoint): RpcEndpoint {
    type Answer = (text: string, session: RpcSession) => ReturnType<RpcEndpoint["answer"]>;
    const after =
      (answer: Answer): Answer =>
      (text, session) => {
        if (this.#origin === undefined) return answer(text, session);
        const messages = messagesIn(text).filter(readsState);
        if (messages.length === 0) return answer(text, session);
        return this.prepare(messages).then(
          () => answer(text, session) ?? "",
          (error: unknown) => refusal(text, messageOf(error)),
        );
      };
    const plain = after((text, session) => endpoint.answer(text, session));
    return {
      view: endpoint.view,
      unsent: endpoint.unsent,
      time: endpoint.time,
      retire: () => endpoint.retire(),
      answer: plain,
      answerInParts: (text, session) =>
        this.#origin === undefined ? endpoint.answerInParts(text, session) : plain(text, session),
    };
  }

  /** Returns the names of what the state loses when it goes back to a point. */
  lostAt({ number, edits }: Since): readonly string[] {
    return [...this.#known].flatMap(([name, since]) =>
      since.number > number || since.edits >= edits ? [name] : [],
    );
  }

  /** Forgets what the state has lost; the result deletes its rows. */
  forget(names: readonly string[]): AddRows {
    this.#returns++;
    for (const name of names) this.#known.delete(name);
    return (batch) => deleteNames(batch, names);
  }

  /** Fetches what requests read. Rejects with `RpcError` when the origin does not give it. */
  prepare(messages: readonly Message[]): Promise<void> {
    const turn = this.#last.then(async () => {
      await this.settle();
      for (const message of messages) await this.#prepareOne(message);
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #prepareOne({ method = "", params }: Message): Promise<void> {
    const list = Array.isArray(params) ? params : [];
    const call = RAW.test(method) ? this.#callIn(list[0]) : CALLS.test(method) ? list[0] : undefined;
    const wanted: Wanted = new Map();
    for (const address of addressesIn([list, call])) want(wanted, address);
    if (SLOTS.test(method)) wantSlot(wanted, list);
    await this.#fetch(wanted);
    if (typeof call !== "object" || call === null) return;
    const text = JSON.stringify(call);
    if (this.#prepared.get(text) === this.#stateName()) return;
    await this.#prepareCall(call);
    if (text.length <= MAX_PREPARED_TEXT) this.#prepared.set(text, this.#stateName());
  }

  /** Returns a name that no other state of this run has. */
  #stateName(): string {
    return `${bareHex(this.#deps.head().hash)}:${this.#deps.edits.count}:${this.#returns}`;
  }

  /** Fetches what a call touches, round by round. */
  async #prepareCall(call: object): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const touched = await this.ask?.("debug_traceCall", call, "latest", PRESTATE).catch(() => undefined);
      if (typeof touched !== "object" || touched === null) return; // the method itself gives the reason
      const more: Wanted = new Map();
      for (const [address, { storage = {} }] of Object.entries(touched as Prestate)) {
        want(more, address);
        for (const key of Object.keys(storage)) want(more, address, key);
      }
      if (!(await this.#fetch(more))) return;
    }
  }

  /** Returns the call of a raw transaction; undefined when the method will refuse it. */
  #callIn(raw: unknown): object | undefined {
    try {
      const tx = decodeEitherTransaction(fromBareHex(String(raw).slice(2)));
      const { to, value, input, feePayer, gas } = { ...tx, ...tx.fields } as Readonly<
        Record<string, unknown>
      >;
      return {
        from: toHex(senderOf(tx, this.#deps.chainId())),
        to: hexOf(to),
        value: typeof value === "bigint" ? `0x${value.toString(16)}` : undefined,
        gas: typeof gas === "bigint" ? `0x${gas.toString(16)}` : undefined,
        data: hexOf(input),
        feePayer: hexOf(feePayer),
      };
    } catch {
      return undefined;
    }
  }

  /** Makes accounts and slots a part of the state; false when all are already. */
  async #fetch(wanted: Wanted): Promise<boolean> {
    const origin = this.#origin;
    if (origin === undefined) return false;
    const since = { number: this.#deps.head().header.number, edits: this.#deps.edits.count };
    const edits: Insertion[] = [];
    const found: string[] = [];
    const named = [...wanted].filter(([address]) => BigInt(address) > LAST_RESERVED);
    await Promise.all(
      named.map(async ([address, keys]) => {
        if (!this.#known.has(address)) {
          edits.push(...(await this.#accountEdits(origin, address)));
          found.push(address);
        }
        const unknown = [...keys].filter((key) => !this.#known.has(`${address}:${key}`));
        if (unknown.length === 0) return;
        edits.push(...(await this.#slotEdits(origin, address, unknown)));
        found.push(...unknown.map((key) => `${address}:${key}`));
      }),
    );
    await this.#insert(edits, (batch) => putNames(batch, found, since.number));
    for (const name of found) this.#known.set(name, since);
    return found.length > 0;
  }

  async #accountEdits(origin: ForkOrigin, address: string): Promise<readonly Insertion[]> {
    if (this.#own.has(address)) return [];
    const account = await origin.account(address);
    if (account === null) return [];
    const loaded = accountIn(address, account);
    return [(world) => putAccount(world, loaded, this.#deps.vmVersion())];
  }

  /** An account that the chain has of its own, or that the origin lacks, has no slots there. */
  async #slotEdits(
    origin: ForkOrigin,
    address: string,
    keys: readonly string[],
  ): Promise<readonly Insertion[]> {
    if (this.#own.has(address) || (await origin.account(address)) === null) return [];
    const values = await Promise.all(
      keys.map(async (key) => [BigInt(key), BigInt(await origin.slot(address, key))] as const),
    );
    return values
      .filter(([, value]) => value !== 0n)
      .map(([key, value]) => (world) => {
        world.setSlot(bytesOf(address), key, value);
        return (later) => later.setSlot(bytesOf(address), key, 0n);
      });
  }

  async #insert(edits: readonly Insertion[], addRows: AddRows): Promise<void> {
    if (edits.length === 0) return;
    const undo: ((world: World) => void)[] = [];
    await this.#deps.amend((world) => {
      for (const edit of edits) undo.push(edit(world));
    }, addRows);
    this.#deps.edits.add(this.#deps.head().header.number, (later) => {
      for (const each of undo.toReversed()) each(later);
    });
  }
}

/** Inserts something into a world and returns how it is removed. */
type Insertion = (world: World) => (later: World) => void;

function bytesOf(address: string): Address {
  return fromBareHex(address.slice(2));
}

/** Accounts with the slots that are wanted of them, as words. */
type Wanted = Map<string, Set<string>>;

type Prestate = Readonly<Record<string, { readonly storage?: Readonly<Record<string, string>> }>>;

function want(wanted: Wanted, address: string, key?: string): void {
  const name = address.toLowerCase();
  const keys = wanted.get(name) ?? new Set();
  wanted.set(name, keys);
  if (key !== undefined && /^0x[0-9a-f]{1,64}$/i.test(key))
    keys.add(`0x${bareHex(Buffer.from(key.slice(2).padStart(64, "0"), "hex"))}`);
}

function hexOf(member: unknown): string | undefined {
  return member instanceof Uint8Array ? toHex(member) : undefined;
}

function wantSlot(wanted: Wanted, [address, key]: readonly unknown[]): void {
  if (typeof address === "string" && ADDRESS.test(address)) want(wanted, address, String(key));
}

function readsState({ method = "" }: Message): boolean {
  return !OTHERS.test(method);
}

/** Returns the addresses in parameters; hashes and other bytes have other lengths. */
function addressesIn(json: unknown): string[] {
  if (typeof json === "string") return ADDRESS.test(json) ? [json] : [];
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => [...addressesIn(key), ...addressesIn(value)]);
}

/** Returns the answer to requests whose state cannot be read. */
function refusal(text: string, message: string): string {
  const messages = messagesIn(text);
  const answers = messages.map(({ id = null }) => ({
    jsonrpc: "2.0",
    id,
    error: { code: rpcCode.serverError, message },
  }));
  return `${JSON.stringify(text.trimStart().startsWith("[") ? answers : answers[0])}\n`;
}
