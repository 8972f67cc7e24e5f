/** Decoders of bytes and texts that strangers send or that users name, as targets of fuzzing. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { AccountsError } from "../../../node/accounts/error.ts";
import { parseKeyFile } from "../../../node/accounts/key-file.ts";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { BytesError } from "../../../node/bytes/error.ts";
import { fromBareHex, fromHex } from "../../../node/bytes/hex.ts";
import { decodeRlp, decodeRlpTree, encodeRlp } from "../../../node/bytes/rlp.ts";
import { flags } from "../../../node/cli/flags.ts";
import { ConfigError } from "../../../node/config/error.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { revertReason } from "../../../node/evm/revert-reason.ts";
import { GovernanceError } from "../../../node/governance/error.ts";
import { decodeGovernanceData, encodeGovernanceData } from "../../../node/governance/governance-data.ts";
import { decodeVote, encodeVote } from "../../../node/governance/vote.ts";
import { decodeAccount, emptyAccount, encodeAccount } from "../../../node/model/account.ts";
import { encodeAccountKey, FAIL_KEY } from "../../../node/model/account-key.ts";
import { decodeAccountKey } from "../../../node/model/account-key-decode.ts";
import { decodeBlock, encodeBlock } from "../../../node/model/block.ts";
import { ModelError, TransactionError } from "../../../node/model/error.ts";
import { decodeHeader, encodeHeader } from "../../../node/model/header.ts";
import { encodeExtra, parseExtra } from "../../../node/model/istanbul-extra.ts";
import { decodeStoredReceipts, encodeStoredReceipts } from "../../../node/model/receipt.ts";
import { decodeTransaction } from "../../../node/model/transaction.ts";
import { OptionError } from "../../../node/options/error.ts";
import { readProperties } from "../../../node/options/settings-file.ts";
import { decodeDisconnect, decodeHello } from "../../../node/p2p/base-messages.ts";
import { decodePacket } from "../../../node/p2p/discovery/packets.ts";
import { P2pError } from "../../../node/p2p/error.ts";
import { formatNodeUrl, parseNodeUrl } from "../../../node/p2p/node-url.ts";
import { packSnappy, unpackSnappy } from "../../../node/p2p/snappy.ts";
import { ProtocolError } from "../../../node/protocol/error.ts";
import { messageRow } from "../../../node/protocol/messages.ts";
import { HeadReader, RequestReader } from "../../../node/transport/fast/http-head.ts";
import { blockSamples, genesisSamples, headerSamples, transactionSamples } from "../../node/model/samples.ts";
import { peerMessages } from "../peer-messages.ts";
import { wholeEnvelope } from "../whole-envelope.ts";
import { argumentTargets } from "./argument-targets.ts";
import { fileTargets } from "./file-targets.ts";
import { operatorTargets } from "./operator-targets.ts";
import { rowTargets } from "./row-targets.ts";
import { assertSameButTypes, assertSameBytes, type FuzzTarget, textOf } from "./target.ts";
import { wireTargets } from "./wire-targets.ts";

/** The targets, one row each. */
export const fuzzTargets: readonly FuzzTarget[] = [
  {
    name: "rlp",
    refuses: [BytesError],
    seeds: () => [
      fromHex("0xc0"),
      encodeRlp([fromHex("0x01"), [fromHex("0x"), fromHex(`0x${"ab".repeat(60)}`)]]),
    ],
    run: (input) => assertSameBytes(input, encodeRlp(decodeRlpTree(decodeRlp(input)))),
  },
  {
    name: "transaction",
    refuses: [TransactionError],
    seeds: () => transactionSamples().map(({ raw }) => fromHex(raw)),
    run: (input) =>
      assertSameButTypes(input, (bytes) => {
        const tx = decodeTransaction(bytes);
        return tx.type.encode(tx, tx.signatures);
      }),
  },
  {
    name: "header",
    refuses: [BytesError],
    seeds: headers,
    run: (input) => assertSameBytes(input, encodeHeader(decodeHeader(decodeRlp(input)))),
  },
  {
    name: "block",
    refuses: [BytesError, ModelError, TransactionError],
    seeds: () => blockSamples().map(({ rlp }) => fromHex(rlp)),
    run: (input) => assertSameButTypes(input, (bytes) => encodeBlock(decodeBlock(bytes))),
  },
  {
    name: "extra",
    refuses: [ModelError],
    seeds: () => headers().map((rlp) => decodeHeader(decodeRlp(rlp)).extra),
    run: (input) => assertSameBytes(input, encodeExtra(parseExtra(input))),
  },
  {
    name: "account",
    refuses: [BytesError, ModelError],
    seeds: () => [
      encodeAccount(emptyAccount()),
      encodeAccount({
        ...emptyAccount(),
        kind: "contract",
        key: FAIL_KEY,
        balance: 1n << 200n,
        codeInfo: 16,
      }),
    ],
    run: (input) => assertSameBytes(input, encodeAccount(decodeAccount(input))),
  },
  {
    name: "account-key",
    refuses: [BytesError, ModelError],
    seeds: () =>
      [
        "01c0",
        "03c0",
        "02a1033a514176466fa815ed481ffad09110a2d344f6c9b78c1d14afc351c3a51be33d",
        "04e301e1e001a1033a514176466fa815ed481ffad09110a2d344f6c9b78c1d14afc351c3a51be33d",
        "05c98201c08203c08201c0",
      ].map(fromBareHex),
    run: (input) => assertSameBytes(input, encodeAccountKey(decodeAccountKey(input))),
  },
  {
    name: "stored-receipts",
    refuses: [BytesError, ModelError],
    seeds: () => [encodeStoredReceipts([])],
    run: (input) => assertSameBytes(input, encodeStoredReceipts(decodeStoredReceipts(input))),
  },
  {
    name: "vote",
    refuses: [GovernanceError],
    seeds: () =>
      headers()
        .map((rlp) => decodeHeader(decodeRlp(rlp)).vote)
        .filter(({ length }) => length > 0),
    run: (input) => void encodeVote(decodeVote(input)),
  },
  {
    name: "governance-data",
    refuses: [GovernanceError],
    seeds: () => [
      encodeGovernanceData(new Map([["istanbul.epoch", 30n]])),
      Buffer.from('{"istanbul.policy":2}'),
    ],
    run: (input) => void encodeGovernanceData(decodeGovernanceData(input)),
  },
  {
    name: "peer-message",
    refuses: [ProtocolError],
    seeds: () => [...recordedMessages(), ...writtenMessages()],
    run(input) {
      const row = messageRow(input[0] ?? 0, 67);
      if (row !== undefined) assertSameButTypes(input.subarray(1), (bytes) => row.encode(row.decode(bytes)));
    },
  },
  {
    name: "hello",
    refuses: [P2pError],
    seeds: () => [fromBareHex("f84005836b6e69c8c7836973748042018080b840" + "ab".repeat(32))],
    run: (input) => void decodeHello(input),
  },
  {
    name: "disconnect",
    refuses: [P2pError],
    seeds: () => [fromBareHex("c104"), fromBareHex("04")],
    run: (input) => void decodeDisconnect(input),
  },
  {
    name: "discovery-packet",
    refuses: [P2pError],
    seeds: () => [
      concatBytes(new Uint8Array(65).fill(1), fromBareHex("01c0")),
      concatBytes(new Uint8Array(65).fill(1), fromBareHex("03f84ab840"), new Uint8Array(66)),
    ],
    run: (input) => void decodePacket(concatBytes(keccak256(input), input)),
  },
  {
    name: "snappy",
    refuses: [P2pError],
    seeds: () => [packSnappy(Buffer.from("abcabcabcabc".repeat(40))), packSnappy(new Uint8Array(200))],
    run: (input) => void unpackSnappy(input, 1024 * 1024),
  },
  {
    name: "node-url",
    refuses: [P2pError],
    seeds: () => [
      Buffer.from(`kni://${"ab".repeat(64)}@[::1]:32323?discport=0&ntype=cn`),
      Buffer.from("ab".repeat(64)),
      Buffer.from(`kni://${"ab".repeat(64)}@[fe80::1%25eth0]:1`),
    ],
    run(input) {
      const url = parseNodeUrl(Buffer.from(input).toString("latin1"));
      if (url.host !== undefined) parseNodeUrl(formatNodeUrl(url));
    },
  },
  {
    name: "http-request",
    refuses: [],
    seeds: () => [
      Buffer.from(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
      ),
      Buffer.from(
        "POST / HTTP/1.1\r\nHost: [::1]:80\r\nContent-Type: application/json; a=b\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
      ),
    ],
    run: readRequests,
  },
  {
    name: "json-rpc",
    refuses: [],
    seeds: () => [
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x"},"latest"]}'),
      Buffer.from('[{"jsonrpc":"2.0","id":"a","method":"m"},{"id":null,"result":1.5e3}]'),
    ],
    run: (input) => void wholeEnvelope(textOf(input)),
  },
  {
    name: "key-file",
    refuses: [AccountsError],
    seeds: () => [
      Buffer.from(
        '{"address":"00","id":"a","version":3,"crypto":{"cipher":"aes-128-ctr","ciphertext":"00","cipherparams":{"iv":"00"},"kdf":"scrypt","kdfparams":{"n":2,"r":1,"p":1,"dklen":32,"salt":"00"},"mac":"00"}}',
      ),
    ],
    run: (input) => void parseKeyFile(textOf(input)),
  },
  {
    name: "genesis",
    refuses: [ConfigError],
    seeds: () => genesisSamples().map(({ text }) => Buffer.from(text)),
    run: (input) => void parseGenesis(textOf(input)),
  },
  {
    name: "properties",
    refuses: [OptionError],
    seeds: () => [
      Buffer.from('RPC_ENABLE=1\nRPC_API=chain,net\nDATA_DIR="/x"\n# a comment\nADDITIONAL="--a b"\n'),
    ],
    run: (input) => void readProperties(flags, textOf(input), "settings"),
  },
  {
    name: "revert-reason",
    refuses: [],
    seeds: () => [
      fromBareHex(`08c379a0${"20".padStart(64, "0")}${"03".padStart(64, "0")}${"6e6f21".padEnd(64, "0")}`),
      fromBareHex(`4e487b71${"11".padStart(64, "0")}`),
    ],
    run: (input) => void revertReason(input),
  },
  ...wireTargets,
  ...argumentTargets,
  ...fileTargets,
  ...rowTargets,
  ...operatorTargets,
];

function headers(): Uint8Array[] {
  return headerSamples().map(({ rlp }) => fromHex(rlp));
}

/** Messages of recorded connections: the code, then the payload. */
function recordedMessages(): Uint8Array[] {
  const file = fileURLToPath(new URL("../../vectors/network-messages.json.gz", import.meta.url));
  const { connections } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
    connections: { events: { code: number; payload: string }[] }[];
  };
  const events = connections.flatMap((each) => each.events);
  return events
    .filter(({ code, payload }) => code >= 16 && payload.length < 8_000)
    .map(({ code, payload }) => concatBytes(Uint8Array.of(code - 16), fromBareHex(payload)));
}

/** A message of every kind, in the form of `recordedMessages`. */
function writtenMessages(): Uint8Array[] {
  return peerMessages().map(({ code, payload }) => concatBytes(Uint8Array.of(code), payload));
}

/** Reads requests until the reader wants more or hands the connection over; it must go forward each time. */
function readRequests(input: Uint8Array): void {
  const heads = new HeadReader({ maxBody: 1024, virtualHosts: ["localhost"], hasCors: false });
  const reader = new RequestReader(Buffer.from(input), heads);
  for (let before = -1; reader.at > before && reader.at < input.length; ) {
    before = reader.at;
    const next = reader.next();
    if (typeof next === "number" || next === "foreign") return;
    if (reader.at <= before) throw new Error("the reader stands still");
  }
}
