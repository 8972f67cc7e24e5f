/**
 * X.509 certificates (RFC 5280) signed with ECDSA on P-256, limited to those that the operator issues.
 * Complete libraries would stay in memory for one use at start-up and one per member.
 */
import { createHash, type KeyObject, randomBytes, sign, type X509Certificate } from "node:crypto";
import {
  Boolean as Asn1Boolean,
  Set as Asn1Set,
  type AsnType,
  BitString,
  Constructed,
  fromBER,
  GeneralizedTime,
  Integer,
  ObjectIdentifier,
  OctetString,
  Primitive,
  PrintableString,
  Sequence,
  UTCTime,
  Utf8String,
} from "asn1js";

/** Contents of a certificate. */
export interface CertificateContent {
  /** Names: `commonName`, `subjectOf`. */
  readonly issuer: Sequence;
  readonly subject: Sequence;
  readonly publicKey: KeyObject;
  /** Milliseconds since the epoch; certificates count whole seconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Extension[];
}

/** An extension. */
export interface Extension {
  readonly id: string;
  readonly isCritical: boolean;
  readonly value: AsnType;
}

const VERSION_3 = 2;
const SERIAL_BYTES = 16;
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const COMMON_NAME = "2.5.4.3";
/** First year that is encoded with four digits (RFC 5280, 4.1.2.5). */
const LONG_YEARS = 2050;
/** Length of an uncompressed P-256 point, the end of an encoded public key. */
const POINT_BYTES = 65;
/** Bits of the keyUsage extension, most significant first, and the number of unused bits. */
const USAGE = { leaf: { bits: 0x80, unused: 7 }, authority: { bits: 0x06, unused: 1 } } as const;

/** Extended key usages of leaf certificates. */
export const extendedUses = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const;

/** Signs a certificate with the key of `issuer` and returns PEM. Throws when the key is of another curve. */
export function signCertificate(content: CertificateContent, key: KeyObject): string {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (curve !== "prime256v1")
    throw new Error(`certificates are signed with a P-256 key, not ${curve ?? key.type}`);
  const algorithm = sequence(new ObjectIdentifier({ value: ECDSA_WITH_SHA256 }));
  const signed = signedPart(content, algorithm);
  const signature = sign("sha256", bytesOf(signed), key);
  const certificate = sequence(signed, algorithm, new BitString({ valueHex: signature }));
  const text = Buffer.from(bytesOf(certificate))
    .toString("base64")
    .replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
}

function signedPart(content: CertificateContent, algorithm: AsnType): AsnType {
  const { issuer, subject, publicKey, notBefore, notAfter, extensions } = content;
  return sequence(
    contextTag(0, new Integer({ value: VERSION_3 })),
    new Integer({ valueHex: serialNumber() }),
    algorithm,
    issuer,
    sequence(timeOf(notBefore), timeOf(notAfter)),
    subject,
    fromBER(publicKey.export({ format: "der", type: "spki" })).result,
    contextTag(3, sequence(...extensions.map(encodeExtension))),
  );
}

/** Encodes a name that consists of a common name. */
export function commonName(text: string): Sequence {
  const value = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text)
    ? new PrintableString({ value: text })
    : new Utf8String({ value: text });
  const attribute = sequence(new ObjectIdentifier({ value: COMMON_NAME }), value);
  return sequence(new Asn1Set({ value: [attribute] }));
}

/** Returns the encoded subject of a certificate, so that names can be compared by bytes. */
export function subjectOf(certificate: X509Certificate): Sequence {
  const subject = partsOf(partsOf(fromBER(certificate.raw).result)[0])[5];
  if (!(subject instanceof Sequence)) throw new Error("the certificate has no subject");
  return subject;
}

function partsOf(block: unknown): readonly unknown[] {
  return block instanceof Constructed ? block.valueBlock.value : [];
}

/** Encodes basicConstraints; an authority may sign leaf certificates only. */
export function basicConstraints(isAuthority: boolean): Extension {
  const parts = isAuthority ? [new Asn1Boolean({ value: true }), new Integer({ value: 0 })] : [];
  return { id: "2.5.29.19", isCritical: true, value: sequence(...parts) };
}

/** Encodes keyUsage: signing of certificates and revocation lists, or of handshakes. */
export function keyUsage(of: keyof typeof USAGE): Extension {
  const { bits, unused } = USAGE[of];
  const value = new BitString({ valueHex: Uint8Array.of(bits), unusedBits: unused });
  return { id: "2.5.29.15", isCritical: true, value };
}

/** Encodes extendedKeyUsage. */
export function extendedKeyUsage(use: keyof typeof extendedUses): Extension {
  const value = sequence(new ObjectIdentifier({ value: extendedUses[use] }));
  return { id: "2.5.29.37", isCritical: true, value };
}

/** Encodes subjectKeyIdentifier, which distinguishes authorities of one name. */
export function subjectKeyIdentifier(key: KeyObject): Extension {
  return { id: "2.5.29.14", isCritical: false, value: new OctetString({ valueHex: identifierOf(key) }) };
}

/** Encodes authorityKeyIdentifier for the key of the issuer. */
export function authorityKeyIdentifier(key: KeyObject): Extension {
  return { id: "2.5.29.35", isCritical: false, value: sequence(primitive(0, identifierOf(key))) };
}

/** Encodes subjectAltName with a DNS name. */
export function dnsName(name: string): Extension {
  return { id: "2.5.29.17", isCritical: false, value: sequence(primitive(2, Buffer.from(name, "latin1"))) };
}

function encodeExtension({ id, isCritical, value }: Extension): AsnType {
  const critical = isCritical ? [new Asn1Boolean({ value: true })] : [];
  return sequence(
    new ObjectIdentifier({ value: id }),
    ...critical,
    new OctetString({ valueHex: bytesOf(value) }),
  );
}

/** Computes a key identifier (RFC 5280, 4.2.1.2, method 1). */
function identifierOf(key: KeyObject): Uint8Array {
  const point = key.export({ format: "der", type: "spki" }).subarray(-POINT_BYTES);
  return createHash("sha1").update(point).digest();
}

/** Creates a positive serial number of fixed length. */
function serialNumber(): Uint8Array {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function timeOf(at: number): AsnType {
  const valueDate = new Date(Math.floor(at / 1_000) * 1_000);
  return valueDate.getUTCFullYear() < LONG_YEARS
    ? new UTCTime({ valueDate })
    : new GeneralizedTime({ valueDate });
}

function sequence(...value: readonly AsnType[]): Sequence {
  return new Sequence({ value: [...value] });
}

function contextTag(tagNumber: number, part: AsnType): AsnType {
  return new Constructed({ idBlock: { tagClass: 3, tagNumber }, value: [part] });
}

function primitive(tagNumber: number, valueHex: Uint8Array): AsnType {
  return new Primitive({ idBlock: { tagClass: 3, tagNumber }, valueHex });
}

function bytesOf(part: AsnType): Uint8Array {
  return new Uint8Array(part.toBER());
}
