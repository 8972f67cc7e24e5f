/** SIGINT and SIGTERM as one AbortSignal; who presses on is told, and heard the eleventh time. */
import type { Log } from "../observe/log.ts";

/** What of a process this needs; `process` is one. */
export interface SignalSource {
  on(name: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(name: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  exit(code: number): void;
}

/** The signal of a shutdown asked for. Disposing it gives the process its default handling back. */
export interface ShutdownSignal extends Disposable {
  readonly signal: AbortSignal;
}

const PATIENCE = 10;

/** Listens until it is disposed. */
export function openShutdownSignal(source: SignalSource, log: Log): ShutdownSignal {
  const controller = new AbortController();
  let patience = PATIENCE;
  const onSignal = () => {
    if (!controller.signal.aborted) {
      log.info({}, "Got interrupt, shutting down...");
      controller.abort();
      return;
    }
    patience -= 1;
    if (patience > 0) log.warn({ times: patience }, "Already shutting down, interrupt more to panic.");
    else source.exit(1);
  };
  source.on("SIGINT", onSignal);
  source.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      source.off("SIGINT", onSignal);
      source.off("SIGTERM", onSignal);
    },
  };
}
