/**
 * Hostile messages of every kind of the chain protocol: well formed, as large or as costly as they may be, about blocks
 * that nobody has, and never asked for. In: the chain and a generator. Out: payloads by kind, each made once.
 */
import { concatBytes } from "../../node/bytes/compare.ts";
import { mapKey } from "../../node/bytes/hex.ts";
import { integerBytes } from "../../node/bytes/integer.ts";
import { encodeRlp, encodeRlpList } from "../../node/bytes/rlp.ts";
import { encodePayload } from "../../node/consensus/bft/payload.ts";
import { encodeWireMessage } from "../../node/consensus/bft/wire-message.ts";
import { createBid } from "../../node/model/bid.ts";
import type { Header } from "../../node/model/header.ts";
import { MAX_SERVED } from "../../node/protocol/limits.ts";
import { messages } from "../../node/protocol/messages.ts";
import { bareHeader } from "../../test/support/bare-header.ts";
import { mutateRlp } from "../../test/support/fuzz/mutate-rlp.ts";
import { randomBytes } from "../../test/support/random.ts";

/** A message: its code in the protocol and its payload. */
export type HostileMessage = readonly [code: number, payload: Uint8Array];

type RandomFraction = () => number;

const HASHES = 7_000;
const ANNOUNCED = 4_000;
const PLACES = 4_500;
/** Bytes of a payload near the limit of all messages. */
const LARGE = 11_000_000;
const LARGE_FIELD = 200_000;
const BLOB = 131_072;
const BLOBS_A_SIDECAR = 18;
/** Part of the small and of the large payloads that are mutated, which takes the attacker a while for a large one. */
const MUTATED = { small: 0.2, large: 0.01 } as const;
const MAX_SMALL = 4 * 1024;

/** Returns messages of every kind, several of some. */
export function hostileMessages(chainId: number, random: RandomFraction): readonly HostileMessage[] {
  const hash = (): Uint8Array => randomBytes(random, 32);
  const hashes = Array.from({ length: HASHES }, hash);
  const announced = (number: number) => hashes.slice(0, ANNOUNCED).map((each) => ({ hash: each, number }));
  const query = { amount: 192n, skip: 0n, reverse: false };
  const empty = encodeRlpList([]);
  const zeros = new Uint8Array(LARGE);
  const manyLists = encodeRlpList(Array.from({ length: 120_000 }, () => encodeRlp([new Uint8Array(0)])));
  const signature = signatureOf(chainId, random);
  const signedOften = encodeRlpList(Array.from({ length: 100 }, () => signedBy(signature, 1_500, random)));
  const header = aHeader(random);
  const chain = {
    networkId: BigInt(chainId),
    chainId: BigInt(chainId),
    genesisHash: hash(),
    headHash: hash(),
  };
  const places = hashes.slice(0, PLACES).map((each, index) => ({ number: 2 ** 40, index, hash: each }));
  const payloads: Readonly<Record<keyof typeof messages, readonly Uint8Array[]>> = {
    // After the handshake, with a block score that no other chain has.
    status: [messages.status.encode({ ...chain, version: 67, td: 1n << 255n })],
    newBlockHashes: [
      messages.newBlockHashes.encode(announced(1)),
      messages.newBlockHashes.encode(announced(2 ** 40)),
      empty,
    ],
    headerFetchRequest: [messages.headerFetchRequest.encode(hash())],
    headerFetchResponse: [messages.headerFetchResponse.encode(header)],
    bodiesFetchRequest: [messages.bodiesFetchRequest.encode(hashes)],
    bodiesFetchResponse: [messages.bodiesFetchResponse.encode([signedOften]), empty],
    transactions: [
      empty,
      // A value transfer with more signatures than anybody reads, and many of fewer.
      encodeRlpList([signedBy(signature, 150_000, random)]),
      signedOften,
    ],
    headersRequest: [
      messages.headersRequest.encode({ origin: 0n, ...query }),
      messages.headersRequest.encode({ origin: hash(), ...query }),
      messages.headersRequest.encode({ ...query, origin: 1n, skip: 2n ** 63n, reverse: true }),
    ],
    headers: [empty, zeros, messages.headers.encode(Array.from({ length: 40 }, () => header))],
    bodiesRequest: [messages.bodiesRequest.encode(hashes)],
    bodies: [empty, encodeRlpList([encodeRlpList([manyLists])])],
    newBlock: [
      encodeRlp([[[], []], new Uint8Array(0)]),
      messages.newBlock.encode({ header, body: signedOften, td: 1n << 200n }),
    ],
    nodeDataRequest: [messages.nodeDataRequest.encode(hashes)],
    nodeData: [messages.nodeData.encode(Array.from({ length: 8_000 }, () => zeros.subarray(0, 1_300)))],
    receiptsRequest: [messages.receiptsRequest.encode(hashes)],
    receipts: [empty, encodeRlpList([manyLists])],
    consensus: [
      encodeRlp([hash(), randomBytes(random, 100_000)]),
      messages.consensus.encode({ previousHash: hash(), message: aProposal(header, signedOften, random) }),
    ],
    stakingInfoRequest: [messages.stakingInfoRequest.encode(hashes)],
    stakingInfo: [encodeRlp(zeros)],
    bid: [messages.bid.encode(aBid(0, random)), messages.bid.encode(aBid(LARGE_FIELD, random))],
    sidecarsRequest: [messages.sidecarsRequest.encode(places)],
    sidecars: [messages.sidecars.encode(places.slice(0, MAX_SERVED.sidecars).map(withSidecar)), empty],
  };
  return Object.entries(payloads).flatMap(([name, all]) =>
    all.map((payload): HostileMessage => [messages[name as keyof typeof messages].code, payload]),
  );
}

/** Returns a message, some of them with another structure: items, counts, nesting, lengths or integers are changed. */
export function perhapsMutated([code, payload]: HostileMessage, random: RandomFraction): HostileMessage {
  if (random() >= (payload.length <= MAX_SMALL ? MUTATED.small : MUTATED.large)) return [code, payload];
  const pick = (count: number): number => Math.floor(random() * count);
  return [code, mutateRlp(payload, pick) ?? withByteChanged(payload, pick)];
}

function withByteChanged(payload: Uint8Array, pick: (count: number) => number): Uint8Array {
  const copy = payload.slice();
  if (copy.length > 0) copy[pick(copy.length)] = pick(256);
  return copy;
}

/** A signature for a chain, of nobody or of an unknown key, in its encoding. */
export function signatureOf(chainId: number, random: RandomFraction): Uint8Array {
  const scalar = (): Uint8Array => Uint8Array.of(0x11, ...randomBytes(random, 31));
  return encodeRlp([integerBytes(2 * chainId + 35), scalar(), scalar()]);
}

/** A value transfer (type 0x08) as it stands in a message, with as many signatures as asked for. */
export function signedBy(signature: Uint8Array, count: number, random: RandomFraction): Uint8Array {
  const fields = [
    new Uint8Array(0),
    Uint8Array.of(1),
    Uint8Array.of(1),
    randomBytes(random, 20),
    Uint8Array.of(1),
    randomBytes(random, 20),
  ];
  const signatures = encodeRlpList(Array.from({ length: count }, () => signature));
  const whole = encodeRlpList([...fields.map((field) => encodeRlp(field)), signatures]);
  return concatBytes(Uint8Array.of(0x08), whole);
}

/** The header of a next block on a parent that nobody has, nearly as long as a header may be. */
function aHeader(random: RandomFraction): Header {
  return bareHeader({
    number: 2,
    parentHash: randomBytes(random, 32),
    vote: randomBytes(random, LARGE_FIELD),
    extra: randomBytes(random, 32),
  });
}

/** A pre-prepare of a validator that nobody knows. */
function aProposal(header: Header, body: Uint8Array, random: RandomFraction): Uint8Array {
  const hash = randomBytes(random, 32);
  const proposal = { number: 2, hash: mapKey(hash), parent: mapKey(header.parentHash), header, body };
  return encodeWireMessage({
    hash,
    code: 0,
    content: encodePayload({ kind: "preprepare", view: { sequence: 2, round: 0 }, proposal }),
    sender: randomBytes(random, 20),
    signature: randomBytes(random, 65),
    seal: new Uint8Array(0),
  });
}

function aBid(dataBytes: number, random: RandomFraction) {
  return createBid({
    targetTxHash: randomBytes(random, 32),
    blockNumber: 2,
    sender: randomBytes(random, 20),
    to: randomBytes(random, 20),
    nonce: 2n ** 64n - 1n,
    bid: 2n ** 255n,
    callGasLimit: 2 ** 52,
    data: randomBytes(random, dataBytes),
    searcherSig: randomBytes(random, 65),
    auctioneerSig: randomBytes(random, 65),
  });
}

/** Puts the blobs of a few blocks at a place. */
function withSidecar<Place extends object>(place: Place) {
  const points = Array.from({ length: BLOBS_A_SIDECAR }, () => new Uint8Array(48));
  const blobs = points.map(() => new Uint8Array(BLOB));
  return { ...place, sidecar: { version: 1, blobs, commitments: points, proofs: points } as const };
}
