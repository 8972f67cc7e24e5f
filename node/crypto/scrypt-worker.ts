/** The thread of `portable-scrypt.ts`: derives one key and ends. */
import { parentPort, workerData } from "node:worker_threads";
import { scrypt } from "@noble/hashes/scrypt.js";
import type { PortableScrypt } from "./portable-scrypt.ts";

// Started by portable-scrypt.ts alone, with this.
const { passphrase, salt, n, r, p, length } = workerData as PortableScrypt;
const derived = scrypt(passphrase, salt, { N: n, r, p, dkLen: length });
parentPort?.postMessage(derived, [derived.buffer]);
