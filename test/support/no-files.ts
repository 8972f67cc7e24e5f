/** Chain files for tests that use none. */
import type { ChainFiles } from "../../node/rpc/admin-chain.ts";

const refuse = (): Promise<never> => Promise.reject(new Error("no chain files here"));

/** Refuses every method about chain files. */
export const noFiles: ChainFiles = { exportTo: refuse, importFrom: refuse, importBytes: refuse };
