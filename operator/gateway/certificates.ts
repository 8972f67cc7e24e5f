/** The gateway's certificate on disk: a Secret's files, which change when the operator renews them. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gatewayFiles } from "../control/methods.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";

/** What the files hold, PEM, and when the certificate is in force, in milliseconds since the epoch. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  /** One certificate or several: while the authority changes, both are believed. */
  readonly authority: string;
  readonly validity: { readonly begin: number; readonly end: number };
}

/** The files, looked at from time to time. Disposing it stops that. */
export interface Certificates extends Disposable {
  files(): CertificateFiles;
  onChange(listener: (files: CertificateFiles) => void): void;
}

/** Reads the files in `directory`, then again every `lookMs`. Rejects when one is missing or wrong at the start. */
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
      log.warn({ error: messageOf(error) }, "certificate cannot be renewed yet"),
    );
  }, lookMs);
  timer.unref();
  return {
    files: () => files,
    onChange: (listener) => void listeners.push(listener),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Throws when certificate and key do not fit each other: they are half renewed. */
async function readFiles(directory: string): Promise<CertificateFiles> {
  const read = (name: string) => readFile(join(directory, name), "utf8");
  const [certificate, key, authority] = await Promise.all([
    read(gatewayFiles.certificate),
    read(gatewayFiles.key),
    read(gatewayFiles.authority),
  ]);
  const leaf = new X509Certificate(certificate);
  if (!leaf.checkPrivateKey(createPrivateKey(key))) throw new Error("the certificate has another key");
  const validity = { begin: Date.parse(leaf.validFrom), end: Date.parse(leaf.validTo) };
  return { certificate, key, authority, validity };
}
