/** Samples of the network's bytes: handshake packets, a frame, node URLs, votes, governance data, blocks. */
import { bareHex, fromBareHex, fromHex, toHex } from "../../node/bytes/hex.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { encodeRlp, itemAt, listItems } from "../../node/bytes/rlp.ts";
import { decodeGovernanceJson, decodeVoteJson } from "../../node/cli/decode-governance.ts";
import { parseExactJson } from "../../node/config/exact-json.ts";
import { loadBls } from "../../node/crypto/bls.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { publicKeyOf } from "../../node/crypto/secp256k1.ts";
import { encodeExtra } from "../../node/model/istanbul-extra.ts";
import { decodePacket, packetFields } from "../../node/p2p/discovery/packets.ts";
import { createFrameReader, createFrameWriter, joinContent, splitContent } from "../../node/p2p/frame.ts";
import { openAck, openAuth, sessionKeys } from "../../node/p2p/handshake-packets.ts";
import { formatNodeUrl, parseNodeUrl } from "../../node/p2p/node-url.ts";
import { attempt, type Comparison, Tally } from "./tally.ts";
import { blockSample } from "./vectors-samples.ts";
import { validatorSelection } from "./vectors-validators.ts";

interface Handshake extends Readonly<Record<string, unknown>> {
  readonly packets: readonly { readonly name: string; readonly decryptWith: string; readonly hex: string }[];
  readonly secretsRecipientSide: Readonly<Record<string, string>>;
}

interface Frame extends Readonly<Record<string, string | number>> {
  readonly messageCode: number;
}

interface Discovery {
  readonly packets: readonly { readonly name: string; readonly hex: string }[];
  readonly expectedNodeId: string;
}

interface NodeUrls {
  readonly accepted: readonly Readonly<Record<string, unknown>>[];
  readonly rejected: readonly { readonly url: string; readonly error: string }[];
  readonly strings?: readonly { readonly string: string }[];
}

interface Vote {
  readonly hex: string;
  readonly computedDecoded: Readonly<Record<string, unknown>>;
}

interface BlockEntry {
  readonly name: string;
  readonly encoded: string;
  readonly hash: string;
  readonly computed: Readonly<Record<string, unknown>>;
}

/** Judge of each section; sections without a row are not judged by this release. */
const SECTIONS: Readonly<Record<string, (tally: Tally, section: never) => void | Promise<void>>> = {
  rlpxHandshake: handshake,
  rlpxFrame: frame,
  discovery,
  nodeUrls,
  istanbulExtra,
  blocks,
  headerVotes,
  headerGovernance,
  bootnodes,
  randao,
  validatorSelection,
};

/** Judges a file of sections by their names; the key _about is not a section. */
export async function networkSamples(json: unknown): Promise<Comparison> {
  const tally = new Tally();
  for (const [name, section] of Object.entries(json as object)) {
    if (name.startsWith("_")) continue;
    const judge = SECTIONS[name];
    if (judge === undefined) tally.notYet(name, "nothing here reads it");
    else await tally.awaited(name, () => judge(tally, section as never)); // by its name
  }
  return tally.comparison;
}

interface Randao extends Readonly<Record<string, string | number>> {
  readonly blockNumber: number;
}

/** A header's randomness: the proposer's signature of the block number, mixed into the parent's. */
async function randao(tally: Tally, sample: Randao): Promise<void> {
  const bytes = (name: string): Uint8Array => fromHex(String(sample[name]));
  const bls = await loadBls();
  const message = fixedBytes(sample.blockNumber, 32);
  const reveal = bls.sign(bytes("secretKey"), message);
  tally.same("message", toHex(message), sample["message"]);
  tally.same("random reveal", toHex(reveal), sample["randomReveal"]);
  const publicKey = bls.publicKeyOf(bytes("secretKey"));
  tally.same("reveal verifies", bls.verify({ publicKey, message, signature: bytes("randomReveal") }), true);
  const hash = keccak256(reveal);
  const mixed = bytes("prevMixHash").map((byte, i) => byte ^ (hash[i] ?? 0));
  tally.same("mix hash", toHex(mixed), sample["mixHash"]);
}

/** Test vectors of EIP-8. */
function handshake(tally: Tally, sample: Handshake): void {
  const bytes = (name: string): Uint8Array => fromHex(String(sample[name]));
  const packets = new Map(sample.packets.map(({ name, hex }) => [name, fromBareHex(hex)]));
  for (const { name, decryptWith } of sample.packets) {
    const [open, nonce] = name.startsWith("Auth") ? [openAuth, "nonceA"] : [openAck, "nonceB"];
    const opened = () => toHex(open(bytes(decryptWith), packets.get(name) ?? new Uint8Array(0)).nonce);
    tally.holds(`rlpxHandshake ${name}`, opened, sample[nonce]);
  }
  const { aes, mac, ingressMacAfterUpdateWithAsciiFoo: foo } = sample.secretsRecipientSide;
  const { ingress } = sessionKeys({
    initiator: false,
    ephemeralKey: bytes("ephemeralKeyB"),
    remoteEphemeralId: publicKeyOf(bytes("ephemeralKeyA")),
    initNonce: bytes("nonceA"),
    respNonce: bytes("nonceB"),
    auth: packets.get("Auth2") ?? new Uint8Array(0),
    ack: packets.get("Ack2") ?? new Uint8Array(0),
  });
  tally.same("rlpxHandshake AES secret", toHex(ingress.aes), aes);
  tally.same("rlpxHandshake MAC secret", toHex(ingress.mac), mac);
  ingress.hash.update(Buffer.from("foo"));
  tally.same("rlpxHandshake running MAC", toHex(ingress.hash.digest()), foo);
}

/** A frame whose MACs are constant. */
function frame(tally: Tally, sample: Frame): void {
  const bytes = (name: string): Uint8Array => fromHex(String(sample[name]));
  const hash = { update: () => undefined, digest: () => new Uint8Array(32).fill(1) };
  const keys = { aes: bytes("aesSecret"), mac: bytes("macSecret"), hash };
  const content = joinContent({ code: sample.messageCode, payload: bytes("payload") });
  tally.same("rlpxFrame content", toHex(content), sample["plainFrameContent"]);
  tally.same("rlpxFrame written", toHex(createFrameWriter(keys)(content)), sample["frame"]);
  const reader = createFrameReader(keys);
  const length = reader.header(bytes("frame").subarray(0, 32));
  const { code, payload } = splitContent(reader.body(bytes("frame").subarray(32), length));
  tally.same("rlpxFrame read", [code, toHex(payload)], [sample.messageCode, sample["payload"]]);
}

/** Signed packets, with elements behind the known ones. */
function discovery(tally: Tally, { packets, expectedNodeId }: Discovery): void {
  for (const [index, { name, hex }] of packets.entries()) {
    const bytes = fromBareHex(hex);
    const what = `discovery ${index} ${name}`;
    tally.holds(`${what} sender`, () => toHex(decodePacket(bytes).sender), expectedNodeId);
    const { packet } = decodePacket(bytes);
    const recorded = listItems(itemAt(bytes, 98)).map(({ raw }) => toHex(raw));
    const written = packetFields(packet).map((field) => toHex(encodeRlp(field)));
    // The ping's version is written as 4, whatever it was.
    if (packet.kind === "ping") recorded[1] = "0x04";
    tally.same(what, written, recorded.slice(0, written.length));
  }
}

function nodeUrls(tally: Tally, { accepted, rejected, strings = [] }: NodeUrls): void {
  for (const { url, ip, udp, tcp, tcps } of accepted) {
    const parsed = attempt(() => parseNodeUrl(String(url)));
    const what = `node URL ${String(url)}`;
    if (typeof parsed === "string") tally.same(what, parsed, "a node");
    else if (ip === undefined) tally.same(what, parseNodeUrl(formatNodeUrl(parsed)), parsed);
    else {
      const { host, udpPort, tcpPort, tcpPorts } = parsed;
      tally.same(what, { ip: host, udp: udpPort, tcp: tcpPort, tcps: tcpPorts }, { ip, udp, tcp, tcps });
    }
  }
  for (const { url, error } of rejected) {
    // Names are looked up when they are dialled, every time anew, and not when they are read.
    if (error === "no such host") continue;
    const said = attempt(() => formatNodeUrl(parseNodeUrl(url)));
    tally.same(`node URL ${url}`, said.startsWith("error: ") && said.includes(error) ? error : said, error);
  }
  for (const { string } of strings) {
    tally.holds(`node URL ${string}`, () => formatNodeUrl(parseNodeUrl(string)), string);
  }
}

function bootnodes(tally: Tally, section: Readonly<Record<string, string | readonly string[]>>): void {
  for (const urls of Object.values(section)) {
    if (typeof urls === "string") continue;
    for (const url of urls) tally.holds(`boot node ${url}`, () => formatNodeUrl(parseNodeUrl(url)), url);
  }
}

function istanbulExtra(
  tally: Tally,
  { validators, rlp }: { readonly validators: readonly string[]; readonly rlp: string },
): void {
  const none = new Uint8Array(0);
  const extra = { vanity: none, validators: validators.map(fromHex), seal: none, committedSeals: [] };
  tally.same("istanbulExtra", toHex(encodeExtra(extra)), `0x${"00".repeat(32)}${bareHex(fromHex(rlp))}`);
}

function blocks(tally: Tally, { samples }: { readonly samples: readonly BlockEntry[] }): void {
  for (const { name, encoded, hash, computed } of samples) {
    const number = Number(computed["number"]);
    blockSample(tally, { name, number, rlp: encoded, expectedHash: hash, derived: computed });
  }
}

function headerVotes(tally: Tally, { samples }: { readonly samples: readonly Vote[] }): void {
  for (const { hex, computedDecoded } of samples) {
    const { voter, key, valueBytes } = computedDecoded;
    const read = () => {
      const vote = decodeVoteJson(fromHex(hex)) as Readonly<Record<string, unknown>>;
      return { voter: vote["voter"], key: vote["key"], valueBytes: vote["valueBytes"] };
    };
    tally.holds(`vote ${hex}`, read, { voter, key, valueBytes });
  }
}

function headerGovernance(
  tally: Tally,
  { samples }: { readonly samples: readonly { readonly hex: string; readonly computedJson: string }[] },
): void {
  for (const { hex, computedJson } of samples) {
    tally.holds("governance data", () => decodeGovernanceJson(fromHex(hex)), parseExactJson(computedJson));
  }
}
