/**
 * Edits of accounts and storage on a development chain, and accounts that send without a key: the methods of Anvil and
 * Hardhat Network. An edit changes the state after the newest block, so the chain is marked as one that other nodes do
 * not accept.
 */
import type { Address, StorageKey } from "../bytes/brands.ts";
import { bareHex } from "../bytes/hex.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import type { Impersonation } from "../calls/impersonation.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { type Codec, CodecError } from "../jsonrpc/codec.ts";
import { address, data, hash, storageKey } from "../jsonrpc/codecs/hex.ts";
import { boolean, nothing } from "../jsonrpc/codecs/plain.ts";
import { failure, RpcError, rpcCode } from "../jsonrpc/errors.ts";
import { EscapedText } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { tupleSchema } from "../jsonrpc/schemas.ts";
import { type Account, emptyAccount } from "../model/account.ts";
import { EMPTY_TRIE_ROOT } from "../model/list-root.ts";
import type { World } from "../state/world/world.ts";
import type { Batch } from "../store/store.ts";
import type { TxPool } from "../txpool/pool.ts";
import { wholeAmount } from "./whole-number.ts";

/** Edits a world. */
export type Edit = (world: World) => void;

/** Adds rows to the batch of an edit. */
export type AddRows = (batch: Batch) => void;

/** Parts of a development chain that these methods change. */
export interface DevStateDeps {
  /** Edits the state after the newest block, with further rows of the batch. Rejects where peers may connect. */
  readonly amend: (edit: Edit, addRows?: AddRows) => Promise<void>;
  readonly head: () => { readonly header: { readonly number: number } };
  readonly pool: Pick<TxPool, "status">;
  readonly impersonation: Impersonation;
  /** Sets the address that ECRECOVER returns for r, s and v as hex. Rejects where peers may connect. */
  readonly setSigner: (signature: string, signer: Address) => Promise<void>;
  readonly edits: Edits;
  /** Virtual machine version of contracts in the next block. */
  readonly vmVersion: () => number;
}

/** The edits since the start, with which each is undone, for snapshots. */
export class Edits {
  readonly #done: { number: number; readonly undo: Edit }[] = [];

  get count(): number {
    return this.#done.length;
  }

  add(number: number, undo: Edit): void {
    this.#done.push({ number, undo });
  }

  /** Forgets edits after a block: the state has gone back before them. They still count. */
  forgetAfter(number: number): void {
    for (const each of this.#done) if (each.number > number) each.number = Number.POSITIVE_INFINITY;
  }

  /** Returns the edit that undoes all after the first `count` on blocks up to `number`; undefined for none. */
  undoAfter(count: number, number: number): Edit | undefined {
    const undone = this.#done.splice(count).filter((each) => each.number <= number);
    if (undone.length === 0) return undefined;
    return (world) => {
      for (const { undo } of undone.toReversed()) {
        undo(world);
        world.endTransaction();
      }
    };
  }
}

/** The methods that edit the state, and those about accounts without a key. */
export function devStateMethods(deps: DevStateDeps): Method[] {
  return [
    ...accountMethods(deps),
    ...codeMethods(deps),
    ...impersonationMethods(deps),
    signatureMethod(deps),
  ];
}

/** A nonce: an amount of up to 64 bits. */
const nonce: Codec<bigint> = {
  ...wholeAmount,
  decode(json) {
    const value = wholeAmount.decode(json);
    if (value >> 64n !== 0n) throw new CodecError("a nonce has 64 bits at most");
    return value;
  },
};

/** A storage slot: 32 bytes, or a quantity as the tools send it. */
const slotKey: Codec<StorageKey> = {
  ...storageKey,
  decode: (json) => (isLong(json) ? storageKey.decode(json) : word(wholeAmount.decode(json))),
};

/** A slot's value: up to 32 bytes. */
const slotValue: Codec<bigint> = {
  label: "hash",
  schema: hash.schema,
  decode: (json) => (isLong(json) ? bytesToBigint(hash.decode(json)) : wholeAmount.decode(json)),
  encode: (value) => hash.encode(word(value)),
};

const HASH_TEXT_LENGTH = 66;

function isLong(json: unknown): boolean {
  const text = json instanceof EscapedText ? json.raw : json;
  return typeof text === "string" && text.length >= HASH_TEXT_LENGTH;
}

function word(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex");
}

/** Returns a function that applies an edit, which returns how it is undone. */
function applierOf({ amend, edits, head }: DevStateDeps) {
  return async (edit: (world: World) => Edit): Promise<boolean> => {
    const undo: Edit[] = [];
    await amend((world) => void undo.push(edit(world)));
    for (const each of undo) edits.add(head().header.number, each);
    return true;
  };
}

function accountMethods(deps: DevStateDeps): Method[] {
  const apply = applierOf(deps);
  const change = (account: Address, members: (before: Account) => Partial<Account>): Promise<boolean> =>
    apply((world) => {
      const undo = restore(world, account);
      const before = world.account(account) ?? emptyAccount();
      world.setAccount(account, { ...before, ...members(before) });
      return undo;
    });
  return [
    method({
      name: "dev_setBalance",
      aliases: ["anvil_setBalance", "hardhat_setBalance", "tenderly_setBalance"],
      summary: "Sets the balance of an account, in peb.",
      params: { account: address, balance: wholeAmount },
      result: boolean,
      handle: ({ account, balance }) => change(account, () => ({ balance })),
    }),
    method({
      name: "dev_addBalance",
      aliases: ["anvil_addBalance", "hardhat_addBalance", "tenderly_addBalance"],
      summary: "Adds to the balance of an account, in peb.",
      params: { account: address, amount: wholeAmount },
      result: boolean,
      handle: ({ account, amount }) => change(account, (before) => ({ balance: before.balance + amount })),
    }),
    method({
      name: "dev_setNonce",
      aliases: ["anvil_setNonce", "evm_setAccountNonce"],
      summary: "Sets the nonce of an account.",
      params: { account: address, nonce },
      result: boolean,
      handle: ({ account, nonce: next }) => change(account, () => ({ nonce: next })),
    }),
    method({
      name: "hardhat_setNonce",
      summary:
        "Sets the nonce of an account. Refuses a lower one than the account has, and any while transactions wait, as Hardhat Network does.",
      params: { account: address, nonce },
      result: boolean,
      handle: ({ account, nonce: next }) => {
        const { pending, queued } = deps.pool.status();
        if (pending + queued > 0)
          throw new RpcError(
            rpcCode.internal,
            "Cannot set account nonce when the transaction pool is not empty",
          );
        return change(account, (before) => {
          if (next < before.nonce)
            throw failure(
              `New nonce (${next}) must not be smaller than the existing nonce (${before.nonce})`,
            );
          return { nonce: next };
        });
      },
    }),
  ];
}

function codeMethods(deps: DevStateDeps): Method[] {
  const apply = applierOf(deps);
  return [
    method({
      name: "dev_setCode",
      aliases: ["anvil_setCode", "hardhat_setCode"],
      summary: "Sets the code of an account; empty code makes it an account without code.",
      params: { account: address, code: data },
      result: boolean,
      handle: ({ account, code }) =>
        apply((world) => {
          const undo = restore(world, account);
          putCode(world, account, { code, vm: deps.vmVersion() });
          return undo;
        }),
    }),
    method({
      name: "dev_setStorageAt",
      aliases: ["anvil_setStorageAt", "hardhat_setStorageAt"],
      summary:
        "Sets a storage slot of an account. One without code, nonce and balance gets the nonce 1, since it could have no storage.",
      params: { account: address, slot: slotKey, value: slotValue },
      result: boolean,
      handle: ({ account, slot, value }) =>
        apply((world) => {
          const key = bytesToBigint(slot);
          const undo = fillEmpty(world, account);
          const before = world.slot(account, key);
          world.setSlot(account, key, value);
          return (later) => {
            later.setSlot(account, key, before);
            undo?.(later);
          };
        }),
    }),
  ];
}

/** Gives an empty account a nonce, so that it can have storage. Returns the edit that undoes it; undefined for others. */
function fillEmpty(world: World, account: Address): Edit | undefined {
  if (!world.isEmpty(account)) return undefined;
  const undo = restore(world, account);
  world.setAccount(account, { ...(world.account(account) ?? emptyAccount()), nonce: 1n });
  return undo;
}

/** Returns the edit that puts an account without its storage back. */
export function restore(world: World, account: Address): Edit {
  const before = world.account(account);
  const code = world.code(account);
  if (before === undefined) return (later) => later.destroy(account);
  return (later) => {
    const storageRoot = later.account(account)?.storageRoot ?? EMPTY_TRIE_ROOT;
    later.setAccount(account, { ...before, storageRoot });
    later.setCode(account, code);
  };
}

/** Gives an account code for a virtual machine version; without code it becomes one of a key. */
export function putCode(
  world: World,
  account: Address,
  { code, vm }: { readonly code: Uint8Array; readonly vm: number },
): void {
  const before = world.account(account) ?? emptyAccount();
  if (code.length === 0)
    world.setAccount(account, { ...before, kind: "eoa", codeHash: EMPTY_HASH, codeInfo: 0 });
  else world.setAccount(account, { ...before, kind: "contract", codeInfo: vm << 4 });
  world.setCode(account, code);
}

/** A signature and the address that it is to stand for; Anvil takes both as one list. */
const signaturePair: Codec<readonly [signature: Uint8Array, signer: Address]> = {
  label: "[data, address]",
  schema: tupleSchema(data.schema, address.schema),
  decode(json) {
    if (!Array.isArray(json) || json.length !== 2)
      throw new CodecError("want a list of signature and address");
    return [data.decode(json[0]), address.decode(json[1])];
  },
  encode: ([signature, signer]) => `[${data.encode(signature)},${address.encode(signer)}]`,
};

function signatureMethod({ setSigner }: DevStateDeps): Method {
  return method({
    name: "dev_impersonateSignature",
    aliases: ["anvil_impersonateSignature"],
    summary:
      "Lets the precompiled contract that recovers signatures return an address for one of 65 bytes (r, s, v), whatever it signs. The parameter is a list of both.",
    params: { pair: signaturePair },
    result: nothing,
    handle: async ({ pair: [signature, signer] }) => {
      await setSigner(bareHex(signature), signer);
      return undefined;
    },
  });
}

function impersonationMethods({ impersonation }: DevStateDeps): Method[] {
  return [
    method({
      name: "dev_impersonateAccount",
      aliases: ["anvil_impersonateAccount", "hardhat_impersonateAccount"],
      summary: "Lets `eth_sendTransaction` send from an address without its key.",
      params: { account: address },
      result: boolean,
      handle: ({ account }) => {
        impersonation.add(account);
        return true;
      },
    }),
    method({
      name: "dev_stopImpersonatingAccount",
      aliases: ["anvil_stopImpersonatingAccount", "hardhat_stopImpersonatingAccount"],
      summary: "Ends the impersonation of an address. Returns false when it was not impersonated.",
      params: { account: address },
      result: boolean,
      handle: ({ account }) => impersonation.remove(account),
    }),
    method({
      name: "dev_autoImpersonateAccount",
      aliases: ["anvil_autoImpersonateAccount", "hardhat_autoImpersonateAccount"],
      summary: "Lets `eth_sendTransaction` send from every address, or ends it.",
      params: { enabled: boolean },
      result: nothing,
      handle: ({ enabled }) => {
        impersonation.isAutomatic = enabled;
        return undefined;
      },
    }),
  ];
}
