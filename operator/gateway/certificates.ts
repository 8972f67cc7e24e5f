/** The gateway's certificate files, which change when the operator renews their Secret. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gatewayFiles } from "../control/methods.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";

/** Contents of the files, PEM, and the validity period in milliseconds since the epoch. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  /** Trusted certificates: two while the authority rotates. */
  readonly authority: string;
  readonly validity: { readonly begin: number; readonly end: number };
  /** Common name of the certificate. */
  readonly name: string;
}

/** The files, read periodically. Disposing it ends that. */
export interface Certificates extends Disposable {
  files(): CertificateFiles;
  onChange(listener: (files: CertificateFiles) => void): void;
}

/**
 * Reads the files in `directory`, then again every `lookMs`. Rejects when a file is missing or invalid at the
 * start.
 */
export async function openCertificates(directory: string, lookMs: number, log: Log): Promise<Certificates> {
  let files = await readFiles(directory);
  const listeners: ((files: CertificateFiles) => void)[] = [];
  const look = async (): Promise<void> => {
    const now = await readFiles(directory);
    if (JSON.stringify(now) === JSON.stringify(files)) return;
    files = now;
    for (const listener of listeners) listener(now);
    log.info({ ends: new Date(now.validity.end).toISOString() }, "certificate renewed");
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) =>
      log.warn({ error: messageOf(error) }, "certificate cannot be read again"),
    );
  }, lookMs);
  timer.unref();
  return {
    files: () => files,
    onChange: (listener) => void listeners.push(listener),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Reads the files. Throws when certificate and key do not match, as during a renewal. */
async function readFiles(directory: string): Promise<CertificateFiles> {
  const read = (name: string) => readFile(join(directory, name), "utf8");
  const [certificate, key, authority] = await Promise.all([
    read(gatewayFiles.certificate),
    read(gatewayFiles.key),
    read(gatewayFiles.authority),
  ]);
  const leaf = new X509Certificate(certificate);
  if (!leaf.checkPrivateKey(createPrivateKey(key))) throw new Error("the certificate does not match the key");
  const validity = { begin: Date.parse(leaf.validFrom), end: Date.parse(leaf.validTo) };
  const name = /^CN=(.*)$/m.exec(leaf.subject)?.[1] ?? "";
  return { certificate, key, authority, validity, name };
}
