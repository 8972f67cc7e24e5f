/** The gateway's certificate on disk: a Secret's files, which change when the operator renews them. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gatewayFiles } from "../control/methods.ts";
import type { Log } from "../observe/log.ts";

/** What the files hold, PEM. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

/** The files, looked at from time to time. Disposing it stops that. */
export interface Certificates extends Disposable {
  files(): CertificateFiles;
  onChange(listener: (files: CertificateFiles) => void): void;
}

/** Reads the files in `directory`, then again every `lookMs`. Rejects when one is missing at the start. */
export async function openCertificates(directory: string, lookMs: number, log: Log): Promise<Certificates> {
  let files = await readFiles(directory);
  const listeners: ((files: CertificateFiles) => void)[] = [];
  const look = async (): Promise<void> => {
    const now = await readFiles(directory);
    if (JSON.stringify(now) === JSON.stringify(files)) return;
    for (const listener of listeners) listener(now); // throws when certificate and key do not fit: half renewed
    files = now;
    log.info({}, "certificate renewed");
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => log.warn({ error: String(error) }, "certificate cannot be renewed yet"));
  }, lookMs);
  timer.unref();
  return {
    files: () => files,
    onChange: (listener) => void listeners.push(listener),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

async function readFiles(directory: string): Promise<CertificateFiles> {
  const read = (name: string) => readFile(join(directory, name), "utf8");
  const [certificate, key, authority] = await Promise.all([
    read(gatewayFiles.certificate),
    read(gatewayFiles.key),
    read(gatewayFiles.authority),
  ]);
  return { certificate, key, authority };
}
