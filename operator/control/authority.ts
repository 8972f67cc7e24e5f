/**
 * The certificate authority of the control channel: an ECDSA P-256 root of the operator. It issues server
 * certificates for gateways and client certificates for the operator, so that a stolen gateway key opens no
 * other gateway.
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
/** Tolerance for clock differences: certificates are valid a little before they were issued. */
const SKEW_MS = 300_000;

const newKeys = promisify(generateKeyPair);
const CURVE = { namedCurve: "P-256" } as const;

/** Creates a root. */
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

/** Issues a server certificate for the gateway `name`. */
export function issueGateway(authority: Credentials, name: string, now: number): Promise<Credentials> {
  return issue(authority, { subject: name, now, extensions: [extendedKeyUsage("server"), dnsName(name)] });
}

/** Issues a client certificate for a reader of checkpoints. */
export function issueReader(authority: Credentials, name: string, now: number): Promise<Credentials> {
  return issue(authority, { subject: name, now, extensions: [extendedKeyUsage("client"), dnsName(name)] });
}

/** Issues the client certificate of the operator. */
export function issueOperator(authority: Credentials, now: number): Promise<Credentials> {
  return issue(authority, { subject: OPERATOR_NAME, now, extensions: [extendedKeyUsage("client")] });
}

/**
 * True when a certificate is from this authority, matches its key and name, is valid already, and has a third of its
 * lifetime left.
 */
export function isGood(
  authority: Credentials,
  { certificate, key }: Partial<Credentials>,
  name: string,
  now: number,
): boolean {
  if (certificate === undefined || key === undefined) return false;
  try {
    const leaf = new X509Certificate(certificate);
    const [begin, end] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
    return (
      now >= begin &&
      now < end - (end - begin) / 3 &&
      leaf.verify(new X509Certificate(authority.certificate).publicKey) &&
      leaf.checkPrivateKey(createPrivateKey(key)) &&
      leaf.checkHost(name) !== undefined
    );
  } catch {
    return false;
  }
}

/** True for a certificate that may sign, with its key. */
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
  /** Extensions besides those of all leaf certificates. */
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
