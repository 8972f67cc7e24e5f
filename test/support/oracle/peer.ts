/**
 * A peer program that runs state transitions and decodes transactions in another implementation: JSON lines in, JSON
 * lines out in the same order. Its path is in KNIT_PEER_TRANSITIONS; README.md beside this file describes the lines.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { toHex } from "../../../node/bytes/hex.ts";
import { toQuantity } from "../../../node/bytes/integer.ts";
import { forks } from "../../../node/config/forks.ts";
import { COINBASE } from "../evm-scenario.ts";
import { FORKS, rulesUpTo } from "../suite-runners.ts";
import type { TransactionFork } from "../transaction-differences.ts";
import type { BytesCase } from "./bytes-case.ts";
import { headerOf, MAX_COMPUTATION, ORACLE_CHAIN_ID, type TransitionCase } from "./case.ts";

/** Path of the peer program; undefined on a machine without one. */
export const peerProgram: string | undefined = process.env["KNIT_PEER_TRANSITIONS"];

/** A running peer program. */
export interface TransitionPeer extends AsyncDisposable {
  /** Sends one request and returns its answer; many may be open at once. */
  readonly ask: (request: object) => Promise<Readonly<Record<string, unknown>>>;
}

type Answer = Readonly<Record<string, unknown>>;
interface Waiter {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Starts the peer program. */
export function openPeer(program: string): TransitionPeer {
  const child = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"] });
  const waiters: Waiter[] = [];
  const closed = new Promise<void>((resolve) => {
    child.once("close", resolve);
  });
  const fail = (error: Error): void => {
    for (const { reject } of waiters.splice(0)) reject(error);
  };
  child.once("error", fail);
  child.once("close", () => fail(new Error("the peer program ended")));
  createInterface({ input: outputOf(child) }).on("line", (line) => {
    if (!line.startsWith("{")) return; // the Go node's log
    const { id: _, computation, ...answer } = JSON.parse(line) as Record<string, unknown>;
    const bounded =
      typeof computation === "number" ? { computation: Math.min(computation, MAX_COMPUTATION) } : {};
    waiters.shift()?.resolve({ ...answer, ...bounded });
  });
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiters.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify({ id: waiters.length, ...request })}\n`);
      }),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await closed;
    },
  };
}

function outputOf({ stdout }: ChildProcess): NodeJS.ReadableStream {
  if (stdout === null) throw new Error("the peer program has no output");
  return stdout;
}

/** Returns the peer's request for a case. */
export function transitionRequest({ fork, deferred, pre, tx }: TransitionCase): object {
  return { config: configOf(fork, deferred), header: headerJson(fork), pre, tx };
}

/** Returns the peer's request for the decoding of bytes. */
export function bytesRequest({ bytes, chainId }: BytesCase): object {
  return { bytes, chainId };
}

function configOf(fork: TransactionFork, deferredTxFee: boolean): object {
  const active = FORKS.slice(0, FORKS.indexOf(fork) + 1);
  const keys = forks
    .map(({ configKey }) => configKey)
    .filter((key) => active.some((name) => key === `${name}CompatibleBlock`));
  return {
    chainId: Number(ORACLE_CHAIN_ID),
    ...Object.fromEntries(keys.map((key) => [key, 0])),
    governance: { reward: { deferredTxFee } },
  };
}

function headerJson(fork: TransactionFork): object {
  const { number, time, blockScore, rewardbase, parentHash, baseFee, mixHash, excessBlobGas } = headerOf(
    rulesUpTo(fork),
  );
  return {
    number,
    timestamp: time,
    blockScore: toQuantity(blockScore),
    author: toHex(COINBASE),
    rewardbase: toHex(rewardbase),
    parentHash: toHex(parentHash),
    ...(baseFee !== undefined && { baseFee: toQuantity(baseFee) }),
    ...(mixHash !== undefined && { mixHash: toHex(mixHash) }),
    ...(excessBlobGas !== undefined && { excessBlobGas: toQuantity(excessBlobGas) }),
  };
}
