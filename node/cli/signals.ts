/**
 * SIGINT and SIGTERM as an AbortSignal. A node is forced to exit by the eleventh signal, other commands by
 * the second.
 */
import { createLog, type Log } from "../observe/log.ts";

/** The used part of a process; `process` is one. */
export interface SignalSource {
  on(name: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(name: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  exit(code: number): void;
}

/** The signal of a shutdown. Disposing it restores the default handling of the process. */
export interface ShutdownSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** The signal of an interrupt, for work that can end at any time. */
export interface Interrupt extends ShutdownSignal {
  /** Exit code of an interrupted command: 128 plus the number of the signal. */
  readonly exitCode: number;
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

const PATIENCE = 10;

/**
 * Listens until it is disposed. The end of `launcher` counts as a first signal. A launcher forwards signals
 * that the terminal sent to both processes, so a second signal under a launcher is the same press of Ctrl-C.
 */
export function openShutdownSignal(source: SignalSource, log: Log, launcher?: AbortSignal): ShutdownSignal {
  const controller = new AbortController();
  const onLauncherEnd = (): void => {
    if (controller.signal.aborted) return;
    log.info({}, "parent process has ended, shutting down...");
    controller.abort();
  };
  launcher?.addEventListener("abort", onLauncherEnd);
  let patience = PATIENCE;
  let isEchoDue = launcher !== undefined;
  const onSignal = () => {
    if (!controller.signal.aborted) {
      log.info({}, "Got interrupt, shutting down...");
      controller.abort();
      return;
    }
    if (isEchoDue) {
      isEchoDue = false;
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
      launcher?.removeEventListener("abort", onLauncherEnd);
    },
  };
}

/** Listens without log messages, for calls of a node. */
export function openQuietShutdown(source: SignalSource): ShutdownSignal {
  return openShutdownSignal(source, createLog({ level: "silent", format: "terminal" }));
}

/** Listens until it is disposed. The first signal interrupts the work, the second ends the process. */
export function openInterrupt(source: SignalSource, log: Log): Interrupt {
  const controller = new AbortController();
  let exitCode: number = EXIT_CODES.SIGINT;
  const heard = (name: keyof typeof EXIT_CODES) => () => {
    if (controller.signal.aborted) return source.exit(EXIT_CODES[name]);
    exitCode = EXIT_CODES[name];
    log.warn({}, "interrupted: finishing the current batch; interrupt again to end at once");
    controller.abort();
  };
  const listeners = { SIGINT: heard("SIGINT"), SIGTERM: heard("SIGTERM") };
  source.on("SIGINT", listeners.SIGINT);
  source.on("SIGTERM", listeners.SIGTERM);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]() {
      source.off("SIGINT", listeners.SIGINT);
      source.off("SIGTERM", listeners.SIGTERM);
    },
  };
}
