/**
 * The authority that gateways and the operator prove themselves with: an ECDSA P-256 root that the operator
 * makes and keeps, and certificates of two uses, server for gateways and client for the operator, so that what a
 * gateway holds opens no other gateway.
 */
import "reflect-metadata";
import { createPrivateKey, X509Certificate as NodeCertificate, webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { OPERATOR_NAME } from "./methods.ts";

/** A certificate and its private key, both PEM. */
export interface Credentials {
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const ROOT_DAYS = 3_650;
const LEAF_DAYS = 90;
/** Clocks of machines differ; a certificate is good a little before it was made. */
const SKEW_MS = 300_000;

const CURVE = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;

/** Makes a root. */
export async function createAuthority(now: number): Promise<Credentials> {
  const keys = await newKeys();
  const root = await X509CertificateGenerator.createSelfSigned({
    name: "CN=knit-operator authority",
    keys,
    signingAlgorithm: SIGNATURE,
    notBefore: new Date(now - SKEW_MS),
    notAfter: new Date(now + ROOT_DAYS * DAY_MS),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      // Two authorities of one name are told apart by their keys.
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${root.toString("pem")}\n`, key: await pemOf(keys.privateKey) };
}

/** Issues a certificate for the gateway called `name`. */
export function issueGateway(authority: Credentials, name: string, now: number): Promise<Credentials> {
  return issue(authority, { subject: name, use: ExtendedKeyUsage.serverAuth, dnsName: name, now });
}

/** Issues the operator's own certificate. */
export function issueOperator(authority: Credentials, now: number): Promise<Credentials> {
  return issue(authority, {
    subject: OPERATOR_NAME,
    use: ExtendedKeyUsage.clientAuth,
    dnsName: undefined,
    now,
  });
}

/** True while a certificate of this authority has a third of its life before it, fits its key and has the name. */
export function isGood(
  authority: Credentials,
  { certificate, key }: Partial<Credentials>,
  name: string,
  now: number,
): boolean {
  if (certificate === undefined || key === undefined) return false;
  try {
    const leaf = new NodeCertificate(certificate);
    const end = Date.parse(leaf.validTo);
    return (
      now < end - (end - Date.parse(leaf.validFrom)) / 3 &&
      leaf.verify(new NodeCertificate(authority.certificate).publicKey) &&
      leaf.checkPrivateKey(createPrivateKey(key)) &&
      leaf.checkHost(name) !== undefined
    );
  } catch {
    return false;
  }
}

/** True when these are a certificate that may sign and its key. */
export function isAuthority({ certificate, key }: Partial<Credentials>): boolean {
  if (certificate === undefined || key === undefined) return false;
  try {
    const root = new NodeCertificate(certificate);
    return root.ca && root.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

interface Leaf {
  readonly subject: string;
  readonly use: ExtendedKeyUsage;
  readonly dnsName: string | undefined;
  readonly now: number;
}

async function issue(authority: Credentials, { subject, use, dnsName, now }: Leaf): Promise<Credentials> {
  const keys = await newKeys();
  const root = new X509Certificate(authority.certificate);
  const end = Math.min(now + LEAF_DAYS * DAY_MS, root.notAfter.getTime());
  const leaf = await X509CertificateGenerator.create({
    subject: `CN=${subject}`,
    issuer: root.subject,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    signingAlgorithm: SIGNATURE,
    notBefore: new Date(now - SKEW_MS),
    notAfter: new Date(end),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([use], true),
      await AuthorityKeyIdentifierExtension.create(await root.publicKey.export()),
      ...(dnsName === undefined
        ? []
        : [new SubjectAlternativeNameExtension([{ type: "dns", value: dnsName }])]),
    ],
  });
  return { certificate: `${leaf.toString("pem")}\n`, key: await pemOf(keys.privateKey) };
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(CURVE, true, ["sign", "verify"]);
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key)).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{64}/g, "$&\n").trimEnd()}\n-----END PRIVATE KEY-----\n`;
}

function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ format: "der", type: "pkcs8" });
  return webcrypto.subtle.importKey("pkcs8", der, CURVE, false, ["sign"]);
}
