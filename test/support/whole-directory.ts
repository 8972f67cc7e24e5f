/** A data directory with everything a node keeps in one, what stands in it, and how to read that again. */
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openAccounts } from "../../node/accounts/open-accounts.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { readBlockFile } from "../../node/chain/block-file.ts";
import { openConsensusChain } from "../../node/compose/consensus-chain.ts";
import { type NodeDatabase, openDatabase } from "../../node/compose/database.ts";
import { importChain, initDatadir } from "../../node/compose/offline-jobs.ts";
import type { NodeOptions } from "../../node/compose/options.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import { decodeBlock, encodeBlock } from "../../node/model/block.ts";
import { encodeReceipt } from "../../node/model/receipt.ts";
import { type Log, silentLog } from "../../node/observe/log.ts";
import { loadNodeKey } from "../../node/p2p/node-key.ts";
import { readNodeList } from "../../node/p2p/node-list.ts";
import { systemClock } from "../../node/runtime/clock.ts";
import { saveNodes } from "../../node/state/trie/node-cache-file.ts";
import { readJournal } from "../../node/txpool/journal.ts";
import { options } from "./options.ts";
import { aTransaction } from "./pool-transactions.ts";
import { TOKEN_ADDRESS, tokenSlot } from "./token.ts";
import { makeTransferChain, senderKey } from "./transfer-chain.ts";

const ACCOUNTS = 12;
const HEAD = 34;
/** Blocks that are taken out and made again. */
const REPLAYED = 3;
const holders = Array.from({ length: ACCOUNTS }, (_, i) => addressOfKey(senderKey(i)));
/** Used for accounts alone. */
const PASSPHRASE = "flips";

/** The options of a node on the directory. */
export function optionsOf(datadir: string): NodeOptions {
  return options({ line: { datadir } }).options;
}

/** A sound directory, and the blocks of its chain. */
export interface WholeDirectory {
  readonly path: string;
  readonly blocks: readonly Uint8Array[];
}

/** Makes one below `scratch`: most of it in table files, the newest blocks in the logs alone. */
export async function makeWholeDirectory(scratch: string): Promise<WholeDirectory> {
  const [made, path] = [join(scratch, "made"), join(scratch, "sound")];
  await makeTransferChain(made, { accounts: ACCOUNTS, blocks: HEAD, transfers: 6, tokenEvery: 3 });
  const blocks: Uint8Array[] = [];
  for await (const { raw } of readBlockFile(join(made, "chain.rlp.gz"))) blocks.push(Uint8Array.from(raw));
  const node = optionsOf(path);
  await mkdir(node.paths.instance, { recursive: true });
  await initDatadir(node, await readFile(join(made, "genesis.json"), "utf8"));
  for (const last of [20, HEAD]) {
    const part = join(scratch, `to-${last}.rlp`);
    await writeFile(part, Buffer.concat(blocks.slice(0, last + 1)));
    const progress = { update: () => undefined, [Symbol.dispose]: () => undefined };
    const { failure } = await importChain(node, {
      files: [part],
      progress,
      signal: new AbortController().signal,
    });
    if (failure !== undefined) throw failure;
    if (last < HEAD) await keepMore(node);
  }
  return { path, blocks };
}

/** Writes the files beside the databases. */
async function keepMore(node: NodeOptions): Promise<void> {
  const { paths } = node;
  await using database = await openDatabase(node, silentLog);
  await database.state.ready;
  await database.state.verify(); // reads all nodes
  const { slab } = database.nodeCache;
  const nodes = join(paths.dataDirectory, "fastcache", "nodes");
  if (slab !== undefined) await saveNodes(nodes, slab, new AbortController().signal);
  await loadNodeKey(paths.nodeKey);
  const url = `kni://${"ab".repeat(64)}@127.0.0.1:32323`;
  await writeFile(paths.staticNodes, JSON.stringify([url]));
  await writeFile(paths.trustedNodes, JSON.stringify([url]));
  const waiting = Array.from({ length: 5 }, (_, nonce) => aTransaction({ nonce }));
  await writeFile(join(paths.instance, "transactions.rlp"), Buffer.concat(waiting.map(({ raw }) => raw)));
  const terms = { directory: paths.keystore, lightKdf: true, keyFileVersion: 4, log: silentLog } as const;
  await using accounts = await openAccounts(terms);
  await accounts.create(PASSPHRASE);
}

/** Copies it, as a crash would leave it. */
export function copyOf({ path }: WholeDirectory, to: string): Promise<void> {
  return cp(path, to, { recursive: true });
}

/** Contents by name; an error's code where it could not be read. */
export type Readings = Readonly<Record<string, string>>;

/** Reads everything that a node reads there, takes blocks out and makes them again. */
export async function readWholeDirectory(
  path: string,
  blocks: readonly Uint8Array[],
  log: Log,
): Promise<Readings> {
  const node = optionsOf(path);
  const readings: Record<string, string> = {};
  for (const [name, read] of Object.entries(besideReaders(node, log)))
    readings[name] = await codeOrText(read);
  await codeOrText(async () => {
    await using database = await openDatabase(node, log);
    await readChain(database, blocks, { readings, log });
    return "";
  }).then((code) => {
    if (code !== "") readings["database"] = code;
  });
  return readings;
}

async function codeOrText(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    const { code, name, message } = error as { code?: string; name?: string; message?: string };
    if (typeof code === "string" && /^[a-z]+(-[a-z]+)*$/.test(code)) return `error: ${code}`;
    return `defect: ${name}: ${message}`;
  }
}

function besideReaders({ paths }: NodeOptions, log: Log): Record<string, () => Promise<string>> {
  return {
    nodeKey: async () => toHex((await loadNodeKey(paths.nodeKey)).key),
    staticNodes: async () => JSON.stringify(await readNodeList(paths.staticNodes, log)),
    trustedNodes: async () => JSON.stringify(await readNodeList(paths.trustedNodes, log)),
    journal: async () => {
      const raws: string[] = [];
      const terms = { path: join(paths.instance, "transactions.rlp"), maxTransaction: 100_000, log };
      for await (const batch of readJournal(terms)) raws.push(...batch.map(({ raw }) => toHex(raw)));
      return raws.join();
    },
    keys: async () => {
      await using accounts = await openAccounts({
        directory: paths.keystore,
        lightKdf: true,
        keyFileVersion: 4,
        log,
      });
      const [address] = accounts.list();
      if (address === undefined) return "none";
      await accounts.unlock(address, PASSPHRASE, 0);
      return toHex(address);
    },
  };
}

interface Into {
  readonly readings: Record<string, string>;
  readonly log: Log;
}

async function readChain(
  database: NodeDatabase,
  blocks: readonly Uint8Array[],
  { readings, log }: Into,
): Promise<void> {
  const open = await openConsensusChain(database, log, systemClock);
  const { chain, writer } = open;
  const head = chain.head().header.number;
  readings["head"] = String(head);
  const keepState = async (number: number): Promise<void> => {
    readings[`state ${number}`] = await codeOrText(async () => stateText(database, number));
  };
  await keepState(head);
  for (let number = 0; number <= head; number++) {
    readings[`block ${number}`] = await codeOrText(async () => blockText(open.chain, number));
    const stateRoot = async () => toHex(chain.header(number)?.header.stateRoot ?? new Uint8Array(0));
    readings[`root ${number}`] = await codeOrText(stateRoot);
    if (number < head) await keepState(number);
  }
  await database.state.ready;
  readings[`root ${head}`] = await codeOrText(async () => {
    await writer.exclusively(() => writer.setHead(head - REPLAYED));
    for (const raw of blocks.slice(head - REPLAYED + 1, head + 1)) await writer.insert(decodeBlock(raw));
    await writer.settle();
    return toHex(database.state.root);
  });
  readings["verify"] = await codeOrText(async () => {
    await database.state.verify();
    return "agrees";
  });
}

function blockText(chain: Awaited<ReturnType<typeof openConsensusChain>>["chain"], number: number): string {
  const block = chain.block(number);
  if (block === undefined) return "missing";
  const receipts = (chain.receipts(number) ?? []).map((receipt) => toHex(encodeReceipt(receipt)));
  const places = block.transactions.map(({ hash }) => {
    const place = chain.findTransaction(hash);
    return `${place?.block.header.number}/${place?.index}`;
  });
  return [toHex(encodeBlock(block)), chain.number(block.hash), ...receipts, ...places].join();
}

function stateText({ state }: NodeDatabase, number: number): string {
  const view = state.view(number);
  const rows = holders.map((address) => {
    const { balance, nonce } = view.account(address) ?? {};
    return `${balance}/${nonce}/${toHex(view.slot(TOKEN_ADDRESS, tokenSlot(address)))}`;
  });
  return [...rows, toHex(view.code(TOKEN_ADDRESS))].join();
}
