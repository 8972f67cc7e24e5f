/** scrypt (RFC 7914) for parameters that OpenSSL rejects. */
import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";

/** Scrypt's input: parameters whose cost has been checked. */
export interface PortableScrypt {
  readonly passphrase: string;
  readonly salt: Uint8Array;
  readonly n: number;
  readonly r: number;
  readonly p: number;
  readonly length: number;
}

/** True where OpenSSL refuses: it keeps to N < 2^(128 r / 8) of RFC 7914, which key files of old do not. */
export function needsPortableScrypt({ n, r }: { readonly n: number; readonly r: number }): boolean {
  return Math.log2(n) >= 16 * r;
}

/** Derives a key by scrypt in JavaScript on its own thread, about three times slower than OpenSSL. */
export async function portableScrypt(input: PortableScrypt): Promise<Buffer> {
  const file = new URL(`./scrypt-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file, { execArgv: [], workerData: input });
  try {
    // `once` rejects when the thread fails; the message is what scrypt-worker.ts sends.
    const [derived] = (await once(worker, "message")) as [Uint8Array<ArrayBuffer>];
    return Buffer.from(derived.buffer, derived.byteOffset, derived.length);
  } finally {
    await worker.terminate();
  }
}
