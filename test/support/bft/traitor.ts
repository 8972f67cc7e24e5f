/**
 * A validator gone bad, as a process: `traitor.ts run ...` is `knit run ...` from the sources, but that its consensus
 * messages are lies, to each peer its own. The kind of lie changes every few blocks. Each lie is a line of output:
 * `lie KIND SEQUENCE`.
 */
import { mapKey } from "../../../node/bytes/hex.ts";
import type { BlockPayload, ProposedBlock } from "../../../node/consensus/bft/payload.ts";
import { proposedBlock } from "../../../node/consensus/bft/payload.ts";
import { createMessageSigner, parseMessage } from "../../../node/consensus/bft/signed-message.ts";
import {
  decodeWireMessage,
  encodeWireMessage,
  wireMessageDigest,
} from "../../../node/consensus/bft/wire-message.ts";
import { withProposerSeal } from "../../../node/consensus/seal.ts";
import { addressOfKey, sign } from "../../../node/crypto/secp256k1.ts";
import type { Header } from "../../../node/model/header.ts";
import { BASE_LENGTH } from "../../../node/p2p/base-messages.ts";
import { PeerOutbox } from "../../../node/p2p/outbox.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { TREASONS, type Treason } from "./plan.ts";
import { digestOf } from "./simulated.ts";

/** Blocks of one kind of lie: each of four validators proposes one of them. */
const BLOCKS_A_KIND = 4;

const key = Buffer.from(process.argv[process.argv.indexOf("--nodekeyhex") + 1] ?? "", "hex");
const address = addressOfKey(key);
const signWithKey = (digest: Uint8Array): Uint8Array => sign(digest, key);
const write = createMessageSigner(address, signWithKey);
const readers = new WeakMap<PeerOutbox, number>();
let met = 0;

type Lie = (payload: BlockPayload, bytes: Uint8Array, reader: number) => readonly Uint8Array[];

const LIES: Readonly<Record<Treason, Lie>> = {
  silent: () => [],
  "two-proposals": (payload, bytes, reader) => [reader % 2 === 0 ? bytes : signedBytesOf(onOther(payload))],
  "two-bodies": (payload, bytes, reader) => [
    payload.kind === "preprepare" && reader % 2 === 1
      ? signedBytesOf({
          ...payload,
          proposal: proposedBlock(payload.proposal.header, otherBody(payload.proposal)),
        })
      : bytes,
  ],
  "bad-blocks": (payload, bytes) => [
    payload.kind === "preprepare"
      ? signedBytesOf({ ...payload, proposal: withHeader(payload.proposal, { stateRoot: flipFirstBit }) })
      : bytes,
  ],
  "bad-seals": (payload, bytes) => [payload.kind === "commit" ? withBadSeal(bytes) : bytes],
  "votes-for-all": (payload, bytes) => {
    const both = [payload, onOther(payload)];
    return [bytes, ...both.flatMap(votesFor).map(signedBytesOf)];
  },
  "wrong-rounds": (payload, bytes) => {
    const { view } = payload;
    const rounds = [view.round + 1, view.round + 2, Math.max(0, view.round - 1)];
    return [bytes, ...rounds.map((round) => signedBytesOf({ ...payload, view: { ...view, round } }))];
  },
};

const post = Object.getOwnPropertyDescriptor(PeerOutbox.prototype, "post")?.value as PeerOutbox["post"];
PeerOutbox.prototype.post = function postLies(this: PeerOutbox, message) {
  if (message.code !== BASE_LENGTH + messages.consensus.code) return post.call(this, message);
  const { previousHash, message: bytes } = messages.consensus.decode(message.payload);
  const { sender, payload } = parseMessage(bytes);
  if (sender !== mapKey(address)) return post.call(this, message);
  const kind = kindAt(payload.view.sequence);
  process.stdout.write(`lie ${kind} ${payload.view.sequence}\n`);
  for (const lie of LIES[kind](payload, bytes, readerOf(this))) {
    post.call(this, { ...message, payload: messages.consensus.encode({ previousHash, message: lie }) });
  }
  return true;
};

function kindAt(sequence: number): Treason {
  return TREASONS[Math.floor(sequence / BLOCKS_A_KIND) % TREASONS.length] ?? "silent";
}

function readerOf(outbox: PeerOutbox): number {
  const reader = readers.get(outbox) ?? met++;
  readers.set(outbox, reader);
  return reader;
}

function signedBytesOf(payload: BlockPayload): Uint8Array {
  return write(payload).bytes;
}

/** Returns the same about another block, which is as good as the first where the traitor proposes it. */
function onOther(payload: BlockPayload): BlockPayload {
  if (payload.kind === "round-change") return payload;
  if (payload.kind === "preprepare")
    return { ...payload, proposal: withHeader(payload.proposal, { extra: flipFirstBit }) };
  return { ...payload, digest: mapKey(flipFirstBit(Buffer.from(payload.digest, "latin1"))) };
}

/** An empty body, or one with an unreadable transaction in place of an empty one. */
function otherBody({ body }: ProposedBlock): Uint8Array {
  return body.length > 1 ? Uint8Array.of(0xc0) : Uint8Array.of(0xc1, 0x80);
}

type Change = { readonly [Field in "extra" | "stateRoot"]?: (bytes: Uint8Array) => Uint8Array };

function withHeader({ header, body }: ProposedBlock, { extra, stateRoot }: Change): ProposedBlock {
  const changed: Header = {
    ...header,
    ...(extra && { extra: extra(header.extra) }),
    ...(stateRoot && { stateRoot: stateRoot(header.stateRoot) }),
  };
  return proposedBlock(withProposerSeal(changed, signWithKey), body);
}

function votesFor(payload: BlockPayload): readonly BlockPayload[] {
  if (payload.kind === "round-change") return [];
  const { view } = payload;
  const parent = payload.kind === "preprepare" ? payload.proposal.parent : payload.parent;
  return (["prepare", "commit"] as const).map((kind) => ({ kind, view, digest: digestOf(payload), parent }));
}

function withBadSeal(bytes: Uint8Array): Uint8Array {
  const wire = decodeWireMessage(bytes);
  const bad = { ...wire, seal: flipFirstBit(wire.seal) };
  return encodeWireMessage({ ...bad, signature: signWithKey(wireMessageDigest(bad)) });
}

function flipFirstBit(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  if (copy.length > 0) copy[0] = (copy[0] as number) ^ 1;
  return copy;
}

// Honest nodes pass its lies on, also to itself, who did not sign them as far as it knows.
process.argv.push("--consensus.doppelganger", "off");
await import("../../../node/main.ts");
