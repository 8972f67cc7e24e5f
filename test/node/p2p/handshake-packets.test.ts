/** Tests of the packets of the RLPx handshake, with the vectors of EIP-8. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { nodeIdOf } from "../../../node/bytes/brands.ts";
import { bareHex, fromHex, toHex } from "../../../node/bytes/hex.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { publicKeyOf } from "../../../node/crypto/secp256k1.ts";
import { createFrameReader, createFrameWriter, joinContent, splitContent } from "../../../node/p2p/frame.ts";
import {
  ackFields,
  authFields,
  openAck,
  openAuth,
  sealPacket,
  sessionKeys,
} from "../../../node/p2p/handshake-packets.ts";

const { rlpxHandshake: sample, rlpxFrame } = JSON.parse(
  readFileSync(new URL("../../vectors/network/samples.json", import.meta.url), "utf8"),
);
const bytes = (name: string): Uint8Array => fromHex(sample[name]);
const packet = (wanted: string): Uint8Array =>
  fromHex(`0x${sample.packets.find(({ name }: { name: string }) => name === wanted).hex}`);
const initiator = {
  key: bytes("keyA"),
  remoteId: nodeIdOf(publicKeyOf(bytes("keyB"))),
  ephemeralKey: bytes("ephemeralKeyA"),
  nonce: bytes("nonceA"),
};
const randomness = { boxKey: keccak256(Uint8Array.of(1)), iv: new Uint8Array(16).fill(3), padding: 150 };
const broken = expect.objectContaining({ name: "P2pError", code: "bad-handshake" });

test.each(["Auth2", "Auth3"])("opens %s of EIP-8, whatever follows the fields", (name) => {
  const auth = openAuth(bytes("keyB"), packet(name));
  expect(auth.nonce).toEqual(bytes("nonceA"));
  expect(bareHex(auth.remoteId)).toBe(bareHex(publicKeyOf(bytes("keyA"))));
  expect(bareHex(auth.ephemeralId)).toBe(bareHex(publicKeyOf(bytes("ephemeralKeyA"))));
});

test.each(["Ack2", "Ack3"])("opens %s of EIP-8, whatever follows the fields", (name) => {
  const ack = openAck(bytes("keyA"), packet(name));
  expect(ack.nonce).toEqual(bytes("nonceB"));
  expect(bareHex(ack.ephemeralId)).toBe(bareHex(publicKeyOf(bytes("ephemeralKeyB"))));
});

test("derives the recipient's secrets of EIP-8", () => {
  const { ingress } = sessionKeys({
    initiator: false,
    ephemeralKey: bytes("ephemeralKeyB"),
    remoteEphemeralId: publicKeyOf(bytes("ephemeralKeyA")),
    initNonce: bytes("nonceA"),
    respNonce: bytes("nonceB"),
    auth: packet("Auth2"),
    ack: packet("Ack2"),
  });
  expect(toHex(ingress.aes)).toBe(sample.secretsRecipientSide.aes);
  expect(toHex(ingress.mac)).toBe(sample.secretsRecipientSide.mac);
  ingress.hash.update(Buffer.from("foo"));
  expect(toHex(ingress.hash.digest())).toBe(sample.secretsRecipientSide.ingressMacAfterUpdateWithAsciiFoo);
});

test("both sides of a handshake can read each other's frames", () => {
  const auth = sealPacket(authFields(initiator), initiator.remoteId, randomness);
  const said = openAuth(bytes("keyB"), auth);
  const recipient = {
    key: bytes("keyB"),
    remoteId: said.remoteId,
    ephemeralKey: bytes("ephemeralKeyB"),
    nonce: bytes("nonceB"),
  };
  const ack = sealPacket(ackFields(recipient), said.remoteId, randomness);
  const answered = openAck(bytes("keyA"), ack);
  const common = { initNonce: said.nonce, respNonce: answered.nonce, auth, ack };
  const ours = sessionKeys({
    ...common,
    initiator: true,
    ephemeralKey: initiator.ephemeralKey,
    remoteEphemeralId: answered.ephemeralId,
  });
  const theirs = sessionKeys({
    ...common,
    initiator: false,
    ephemeralKey: recipient.ephemeralKey,
    remoteEphemeralId: said.ephemeralId,
  });
  for (const [egress, ingress] of [
    [ours.egress, theirs.ingress],
    [theirs.egress, ours.ingress],
  ] as const) {
    const write = createFrameWriter(egress);
    const reader = createFrameReader(ingress);
    for (const length of [0, 1, 15, 16, 17, 100_000]) {
      const frame = write(new Uint8Array(length).fill(length));
      expect(reader.header(frame.subarray(0, 32))).toBe(length);
      expect(bareHex(reader.body(frame.subarray(32), length))).toBe(
        bareHex(new Uint8Array(length).fill(length)),
      );
    }
  }
});

test("packets for another node, damaged, truncated or incomplete ones are refused", () => {
  const auth = packet("Auth2");
  expect(() => openAuth(bytes("keyA"), auth)).toThrow(broken);
  expect(() => openAuth(bytes("keyB"), auth.with(200, (auth[200] as number) ^ 1))).toThrow(broken);
  expect(() => openAuth(bytes("keyB"), auth.subarray(0, 300))).toThrow(broken);
  expect(() => openAuth(bytes("keyB"), auth.subarray(0, 1))).toThrow(broken);
  const to = nodeIdOf(publicKeyOf(bytes("keyB")));
  const [signature, id, nonce] = authFields(initiator) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  const wrong: Uint8Array[][] = [
    [],
    [signature, id],
    [signature, id.subarray(1), nonce],
    [signature, new Uint8Array(64).fill(1), nonce],
    [signature.with(64, 9), id, nonce],
  ];
  for (const fields of wrong)
    expect(() => openAuth(bytes("keyB"), sealPacket(fields, to, randomness))).toThrow(broken);
  expect(() => openAck(bytes("keyB"), sealPacket([id], to, randomness))).toThrow(broken);
});

test("encodes and decodes the frame of the Go node's test, with its constant MAC", () => {
  const hash = { update: () => undefined, digest: () => new Uint8Array(32).fill(1) };
  const keys = { aes: fromHex(rlpxFrame.aesSecret), mac: fromHex(rlpxFrame.macSecret), hash };
  const content = { code: rlpxFrame.messageCode, payload: fromHex(rlpxFrame.payload) };
  expect(toHex(joinContent(content))).toBe(rlpxFrame.plainFrameContent);
  const frame = createFrameWriter(keys)(joinContent(content));
  expect(toHex(frame)).toBe(rlpxFrame.frame);
  const reader = createFrameReader(keys);
  const length = reader.header(frame.subarray(0, 32));
  expect(splitContent(reader.body(frame.subarray(32), length))).toEqual({
    code: content.code,
    payload: Buffer.from(content.payload),
  });
});
