/** Targets of fuzzing: files and archives, whose bytes a user, a store or a disk may have damaged. */
import { AccountsError } from "../../../node/accounts/error.ts";
import { parseDerivationPath } from "../../../node/accounts/hd-path.ts";
import { formatHdWalletFile, parseHdWalletFile } from "../../../node/accounts/hd-wallet-file.ts";
import { parseRawKey } from "../../../node/accounts/raw-key.ts";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fromHex } from "../../../node/bytes/hex.ts";
import { ChainError } from "../../../node/chain/error.ts";
import { createFramer } from "../../../node/chain/framer.ts";
import { type ArchiveFile, parseArchiveManifest, signManifest } from "../../../node/checkpoint/archive.ts";
import { CheckpointError } from "../../../node/checkpoint/error.ts";
import {
  CHECKPOINT_FORMAT,
  type CheckpointManifest,
  parseManifest,
} from "../../../node/checkpoint/manifest.ts";
import { listAll } from "../../../node/checkpoint/s3-store.ts";
import { TAR_END, type TarFile, tarFile } from "../../../node/checkpoint/tar.ts";
import { flags } from "../../../node/cli/flags.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import { TransactionError } from "../../../node/model/error.ts";
import { decodeTransaction } from "../../../node/model/transaction.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { OptionError } from "../../../node/options/error.ts";
import { findFlagName } from "../../../node/options/flag-table.ts";
import { readSettings } from "../../../node/options/settings-file.ts";
import { parseNodes } from "../../../node/p2p/node-list.ts";
import { formatNodeUrl } from "../../../node/p2p/node-url.ts";
import { frameLength } from "../../../node/txpool/journal.ts";
import { blockSamples, transactionSamples } from "../../node/model/samples.ts";
import { readTarFiles } from "../tar-files.ts";
import { assertSameBytes, assertSameJson, type FuzzTarget, jsonTexts, piecesOf, textOf } from "./target.ts";

const KEY = new Uint8Array(32).fill(3);
const HASH = `0x${"ab".repeat(32)}`;
const MANIFEST = {
  format: CHECKPOINT_FORMAT,
  program: "knit/1.0.0",
  chainId: "1337",
  genesisHash: HASH,
  head: { number: 5, hash: HASH, stateRoot: HASH },
  files: [
    { path: "knit/chaindata/chain/000005.ldb", size: 7, sha256: "cd".repeat(32) },
    { path: "knit/chaindata/trie/1/CURRENT", size: 0, sha256: "ef".repeat(32) },
  ],
} as const;
/** Maximum bytes of a file of a tar stream, and of a transaction of a journal. */
const MAX_FILE = 16 * 1024;
const MAX_TRANSACTION = 1024 * 1024;
const TAR_BLOCK = 512;

/** The targets, one row each. */
export const fileTargets: readonly FuzzTarget[] = [
  {
    name: "manifest",
    refuses: [CheckpointError],
    seeds: () => jsonTexts(MANIFEST),
    run(input) {
      const manifest = parseManifest(textOf(input), "manifest");
      assertSameJson(manifest, parseManifest(JSON.stringify(manifest), "manifest"));
    },
  },
  {
    name: "archive-manifest",
    refuses: [CheckpointError],
    seeds: () => jsonTexts(MANIFEST),
    run(input) {
      const { format, program, chainId, genesisHash, head, files } = parseManifest(textOf(input), "manifest");
      const listed = files as readonly ArchiveFile[]; // the parser of archives checks the digests
      const signed = signedText({ format, program, chainId, genesisHash, head, files: listed });
      const read = parseArchiveManifest(signed, "manifest");
      assertSameJson([read.files, read.creator.length], [files, 42]);
    },
  },
  {
    name: "signed-manifest",
    refuses: [CheckpointError],
    seeds: () => [Buffer.from(signedText(MANIFEST))],
    run: (input) => void parseArchiveManifest(textOf(input), "manifest"),
  },
  {
    name: "tar",
    refuses: [CheckpointError],
    seeds: () => [
      concatBytes(
        tarFile({ name: "checkpoint.json", bytes: Buffer.from("{}") }),
        tarFile({ name: "a/b", bytes: new Uint8Array(600).fill(7) }),
        TAR_END,
      ),
      concatBytes(tarFile({ name: "", bytes: new Uint8Array(0) }), TAR_END),
    ],
    run: async (input) => {
      const stream = withChecksums(input);
      const files = await filesOf([stream]);
      const again = await filesOf(piecesOf(stream, 700));
      assertSameJson(files.map(fileJson), again.map(fileJson));
      const written = files.filter(({ name }) => Buffer.byteLength(name) <= 100);
      const read = await filesOf([...written.map(tarFile), TAR_END]);
      assertSameJson(written.map(fileJson), read.map(fileJson));
    },
  },
  {
    name: "s3-list",
    refuses: [CheckpointError],
    seeds: () => [
      Buffer.from(
        "<ListBucketResult><Contents><Key>a&amp;b</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>7</Size></Contents><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
      ),
    ],
    async run(input) {
      const pages = [input];
      const names = await listAll(async () => pages.pop() ?? new Uint8Array(0), 1);
      const areSizes = names.every(
        ({ size, writtenAt }) => size >= 0 && Number.isSafeInteger(size) && writtenAt >= 0,
      );
      if (!areSizes) throw new Error(`a name without a size: ${JSON.stringify(names).slice(0, 200)}`);
    },
  },
  {
    name: "block-file",
    refuses: [ChainError],
    seeds: () => [
      concatBytes(
        ...blockSamples()
          .slice(0, 2)
          .map(({ rlp }) => fromHex(rlp)),
      ),
      Uint8Array.of(0xc0),
    ],
    run(input) {
      const whole = framesOf([input]);
      assertSameBytes(whole, framesOf(piecesOf(input, 300)));
      assertSameBytes(input.subarray(0, whole.length), whole);
    },
  },
  {
    name: "journal",
    refuses: [TransactionError],
    seeds: () => {
      const raws = transactionSamples().map(({ raw }) => fromHex(raw));
      return [...raws, concatBytes(...raws.slice(0, 5))];
    },
    run(input) {
      for (let at = 0; at < input.length; ) {
        const length = frameLength(input, at, MAX_TRANSACTION);
        if (typeof length !== "number" || at + length > input.length) break;
        if (length < 1) throw new Error("the journal stands still");
        at += length;
      }
      decodeTransaction(input);
      assertSameJson(frameLength(input, 0, MAX_TRANSACTION), input.length);
    },
  },
  {
    name: "hd-wallet",
    refuses: [AccountsError],
    seeds: () => [
      Buffer.from(
        `{"version":1,"type":"bip39","id":"a","crypto":{"cipher":"aes-128-ctr","ciphertext":"00","cipherparams":{"iv":"${"00".repeat(16)}"},"kdf":"scrypt","kdfparams":{"n":2,"r":1,"p":1,"dklen":32,"salt":"00"},"mac":"${"00".repeat(32)}"},"accounts":[{"path":"m/44'/60'/0'/0/0","address":"${"11".repeat(20)}"}]}`,
      ),
    ],
    run(input) {
      const text = formatHdWalletFile(parseHdWalletFile(textOf(input)));
      assertSameJson(text, formatHdWalletFile(parseHdWalletFile(text)));
    },
  },
  {
    name: "derivation-path",
    refuses: [AccountsError],
    seeds: () => ["m/44'/60'/0'/0/1", "1", "m / 0x10' / 010"].map((text) => Buffer.from(text)),
    run(input) {
      const path = parseDerivationPath(textOf(input));
      assertSameJson(path, parseDerivationPath(path));
    },
  },
  {
    name: "raw-key",
    refuses: [AccountsError],
    seeds: () =>
      ["ab".repeat(32), `${"ab".repeat(32)}0x000x${"11".repeat(20)}`].map((text) => Buffer.from(text)),
    run: (input) => void parseRawKey(textOf(input)),
  },
  {
    name: "node-list",
    refuses: [],
    seeds: () => [
      Buffer.from(
        `kni://${"ab".repeat(64)}@10.0.0.1:32323?discport=0&ntype=cn\nenode://${"cd".repeat(64)}@h:1\n\nx`,
      ),
    ],
    run(input) {
      const nodes = parseNodes(textOf(input).split("\n"), "list", silentLog);
      const urls = nodes.map((node) => formatNodeUrl(node));
      assertSameJson(
        urls,
        parseNodes(urls, "list", silentLog).map((node) => formatNodeUrl(node)),
      );
    },
  },
  {
    name: "settings",
    refuses: [OptionError],
    seeds: () => [
      Buffer.from('rpc: true\nrpcapi: [eth, net]\nistanbul:\n  epoch: 30\nlog.file: "/x"\n'),
      Buffer.from("a: &b [1, 2]\nrpcport: *b\n? x\n: |\n  text\n"),
      Buffer.from("RPC_ENABLE=1\nPORT=32323\nRPC_PORT=$((PORT + 1))\n"),
    ],
    async run(input) {
      for (const [name, text] of await readSettings(flags, textOf(input), "settings")) {
        if (typeof text !== "string" || findFlagName(flags, name) === undefined)
          throw new Error(`${name} is set to ${typeof text}`);
      }
    },
  },
];

function signedText(manifest: CheckpointManifest<ArchiveFile>): string {
  return signManifest(manifest, KEY, addressOfKey(KEY));
}

/** Returns a tar stream whose blocks that look like headers have their checksums, which no mutation meets. */
function withChecksums(input: Uint8Array): Uint8Array {
  const stream = Buffer.from(input);
  for (let at = 0; at + TAR_BLOCK <= stream.length; at += TAR_BLOCK) {
    const header = stream.subarray(at, at + TAR_BLOCK);
    if (header.toString("latin1", 257, 262) !== "ustar") continue;
    header.fill(" ", 148, 156);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  }
  return stream;
}

const filesOf = (chunks: readonly Uint8Array[]): Promise<TarFile[]> => readTarFiles(chunks, MAX_FILE);

function fileJson({ name, bytes }: TarFile): readonly string[] {
  return [name, Buffer.from(bytes).toString("hex")];
}

/** Returns the items that a framer finds in chunks, one after the other. */
function framesOf(chunks: readonly Uint8Array[]): Uint8Array {
  const framer = createFramer();
  const found: Uint8Array[] = [];
  for (const chunk of chunks) {
    framer.push(chunk);
    for (let next = framer.next(); next !== undefined; next = framer.next()) found.push(next.raw);
  }
  return concatBytes(...found);
}
