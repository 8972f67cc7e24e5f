/**
 * The authority that gateways and the operator prove themselves with: an ECDSA P-256 root that the operator
 * makes and keeps, and certificates of two uses, server for gateways and client for the operator, so that what a
 * gateway holds opens no other gateway.
 */
import { createPrivateKey, generateKeyPair, type KeyObject, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import { OPERATOR_NAME } from "./methods.ts";
import {
  authorityKeyIdentifier,
  basicConstraints,
  commonName,
  dnsName,
  type Extension,
  extendedKeyUsage,
  keyUsage,
  signCertificate,
  subjectKeyIdentifier,
  subjectOf,
} from "./x509.ts";

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

const newKeys = promisify(generateKeyPair);
const CURVE = { namedCurve: "P-256" } as const;

/** Makes a root. */
export async function createAuthority(now: number): Promise<Credentials> {
  const { publicKey, privateKey } = await newKeys("ec", CURVE);
  const name = commonName("knit-operator authority");
  const certificate = signCertificate(
    {
      issuer: name,
      subject: name,
      publicKey,
      notBefore: now - SKEW_MS,
      notAfter: now + ROOT_DAYS * DAY_MS,
      extensions: [basicConstraints(true), keyUsage("authority"), subjectKeyIdentifier(publicKey)],
    },
    privateKey,
  );
  return { certificate, key: pemOf(privateKey) };
}

/** Issues a certificate for the gateway called `name`. */
export function issueGateway(authority: Credentials, name: string, now: number): Promise<Credentials> {
  return issue(authority, { subject: name, now, extensions: [extendedKeyUsage("server"), dnsName(name)] });
}

/** Issues the operator's own certificate. */
export function issueOperator(authority: Credentials, now: number): Promise<Credentials> {
  return issue(authority, { subject: OPERATOR_NAME, now, extensions: [extendedKeyUsage("client")] });
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
    const leaf = new X509Certificate(certificate);
    const end = Date.parse(leaf.validTo);
    return (
      now < end - (end - Date.parse(leaf.validFrom)) / 3 &&
      leaf.verify(new X509Certificate(authority.certificate).publicKey) &&
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
    const root = new X509Certificate(certificate);
    return root.ca && root.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

interface Leaf {
  readonly subject: string;
  readonly now: number;
  /** What it has besides those of all leaves. */
  readonly extensions: readonly Extension[];
}

async function issue(authority: Credentials, { subject, now, extensions }: Leaf): Promise<Credentials> {
  const { publicKey, privateKey } = await newKeys("ec", CURVE);
  const root = new X509Certificate(authority.certificate);
  const content = {
    issuer: subjectOf(root),
    subject: commonName(subject),
    publicKey,
    notBefore: now - SKEW_MS,
    notAfter: Math.min(now + LEAF_DAYS * DAY_MS, Date.parse(root.validTo)),
    extensions: [
      basicConstraints(false),
      keyUsage("leaf"),
      authorityKeyIdentifier(root.publicKey),
      ...extensions,
    ],
  };
  const certificate = signCertificate(content, createPrivateKey(authority.key));
  return { certificate, key: pemOf(privateKey) };
}

function pemOf(key: KeyObject): string {
  return String(key.export({ format: "pem", type: "pkcs8" }));
}
