/** Seals of a recorded chain's headers, and the accounts of its head: their encoding and the root over them. */
import { createMPT } from "@ethereumjs/mpt";
import { bareHex, fromBareHex, fromHex, toHex } from "../../node/bytes/hex.ts";
import { klaytnAccount } from "../../node/compat/klaytn.ts";
import { rulesAt } from "../../node/config/rules.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { addressOfPublicKey, recover } from "../../node/crypto/secp256k1.ts";
import { type Account, decodeAccount, encodeAccount } from "../../node/model/account.ts";
import { type AccountKey, FAIL_KEY, LEGACY_KEY } from "../../node/model/account-key.ts";
import { accountKeyFromJson } from "../../node/model/account-key-json.ts";
import { type Block, decodeBlock } from "../../node/model/block.ts";
import { sealHash } from "../../node/model/header.ts";
import {
  committedSealDigest,
  encodeExtra,
  parseExtra,
  proposerSealDigest,
  roundOf,
} from "../../node/model/istanbul-extra.ts";
import { accountJson } from "../../node/rpc/chain-state.ts";
import type { Answer, DumpedAccount, RecordedChain } from "./recorded-chain.ts";
import type { Tally } from "./tally.ts";

/** Compares the signers of a block with the answers of the Go node. */
export function compareConsensus(
  tally: Tally,
  what: string,
  { block, consensus }: { readonly block: Block; readonly consensus: Answer },
): void {
  const { header, hash } = block;
  const extra = parseExtra(header.extra);
  tally.same(`${what}: extra`, toHex(encodeExtra(extra)), toHex(header.extra));
  tally.same(`${what}: hash`, toHex(hash), consensus["hash"]);
  if (header.number === 0) return;
  tally.same(`${what}: round`, roundOf(header.extra), consensus["round"]);
  tally.same(`${what}: signed hash`, toHex(sealHash(header)), consensus["sigHash"]);
  tally.same(`${what}: proposer`, sealer(proposerSealDigest(header), extra.seal), consensus["proposer"]);
  const digest = committedSealDigest(hash);
  const committee = consensus["committee"] as readonly unknown[];
  const strangers = extra.committedSeals
    .map((seal) => sealer(digest, seal))
    .filter((address) => !committee.includes(address));
  tally.same(`${what}: committed seals by strangers`, strangers, []);
}

function sealer(digest: Uint8Array, seal: Uint8Array): string {
  const publicKey = recover(digest, seal);
  return publicKey === undefined ? "nobody" : toHex(addressOfPublicKey(publicKey));
}

/** Each account at the head, the keys that the updates left, and, where all accounts are known, the state root. */
export async function compareHead(
  tally: Tally,
  chain: RecordedChain,
  keys: ReadonlyMap<string, AccountKey>,
): Promise<void> {
  const { head, blocks } = chain;
  const last = blocks.at(-1);
  if (head === undefined || last === undefined) return;
  const accounts = new Map<string, Account>();
  for (const [address, { account: answer }] of Object.entries(head.accounts)) {
    if (answer === null) continue;
    tally.guarded(`account ${address}`, (what) => {
      const account = accountOf(answer);
      accounts.set(address, account);
      const full = "storageRoot" in (answer["account"] as Answer);
      tally.same(
        what,
        JSON.parse(JSON.stringify(full ? accountJson(account) : klaytnAccount(accountJson(account)))),
        answer,
      );
      const known = keys.get(address) ?? (account.kind === "contract" ? FAIL_KEY : LEGACY_KEY);
      tally.same(`${what}: key`, account.key, known);
      tally.same(`${what}: encoding`, decodeAccount(encodeAccount(account)), account);
    });
  }
  const { header } = decodeBlock(last);
  const { vmVersion } = rulesAt(chain.config, 0);
  const changesVersion = rulesAt(chain.config, header.number).vmVersion !== vmVersion;
  if (head.dump === undefined || changesVersion) return;
  for (const [address, dumped] of Object.entries(head.dump.accounts)) {
    if (!accounts.has(`0x${address}`)) accounts.set(`0x${address}`, dumpedAccount(dumped, vmVersion));
  }
  tally.same("state root", await stateRoot(accounts), bareHex(header.stateRoot));
}

function accountOf(answer: Answer): Account {
  const { nonce, balance, humanReadable, key, storageRoot, codeHash, codeFormat, vmVersion } = answer[
    "account"
  ] as Answer;
  return {
    kind: answer["accType"] === 2 ? "contract" : "eoa",
    nonce: BigInt(Number(nonce)),
    balance: BigInt(String(balance)),
    humanReadable: humanReadable === true,
    key: accountKeyFromJson(key),
    storageRoot: fromHex(text(storageRoot, NO_STORAGE)),
    codeHash: new Uint8Array(Buffer.from(text(codeHash, NO_CODE), "base64")),
    codeInfo: Number(vmVersion ?? 0) * 16 + Number(codeFormat ?? 0),
  };
}

const NO_STORAGE = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
const NO_CODE = "xdJGAYb3IzySfn2y3McDwOUAtlPKgic7e/rYBF2FpHA=";

const text = (value: unknown, otherwise: string) => (typeof value === "string" ? value : otherwise);

/** A dump says neither kind nor key nor version, but all who ever sent are listed: what has a nonce is a contract. */
function dumpedAccount({ balance, nonce, root, codeHash, code }: DumpedAccount, vmVersion: number): Account {
  const contract = code !== "" || nonce > 0;
  return {
    kind: contract ? "contract" : "eoa",
    nonce: BigInt(nonce),
    balance: BigInt(balance),
    humanReadable: false,
    key: contract ? FAIL_KEY : LEGACY_KEY,
    storageRoot: fromBareHex(root),
    codeHash: fromBareHex(codeHash),
    codeInfo: contract ? vmVersion * 16 : 0,
  };
}

async function stateRoot(accounts: ReadonlyMap<string, Account>): Promise<string> {
  const trie = await createMPT();
  for (const [address, account] of accounts)
    await trie.put(keccak256(fromHex(address)), encodeAccount(account));
  return bareHex(trie.root());
}
