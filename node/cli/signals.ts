/** SIGINT and SIGTERM as one AbortSignal; a node hears who presses on the eleventh time, other work the second. */
import { createLog, type Log } from "../observe/log.ts";

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

/** The same for work that can be ended at any time. */
export interface Interrupt extends ShutdownSignal {
  /** What a command that was interrupted exits with: 128 and the number of the signal. */
  readonly exitCode: number;
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

const PATIENCE = 10;

/**
 * Listens until it is disposed. The end of `launcher` counts as a first signal. A launcher passes on what a terminal has
 * sent to both, so that a second signal under one is the same press of Ctrl-C.
 */
export function openShutdownSignal(source: SignalSource, log: Log, launcher?: AbortSignal): ShutdownSignal {
  const controller = new AbortController();
  const onLauncherEnd = (): void => {
    if (controller.signal.aborted) return;
    log.info({}, "the program that started this one has ended, shutting down...");
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

/** The same for questions to a node, which say nothing of it. */
export function openQuietShutdown(source: SignalSource): ShutdownSignal {
  return openShutdownSignal(source, createLog({ level: "silent", format: "terminal" }));
}

/** The first signal asks the work to stop, the second ends the process. */
export function openInterrupt(source: SignalSource, log: Log): Interrupt {
  const controller = new AbortController();
  let exitCode: number = EXIT_CODES.SIGINT;
  const heard = (name: keyof typeof EXIT_CODES) => () => {
    if (controller.signal.aborted) return source.exit(EXIT_CODES[name]);
    exitCode = EXIT_CODES[name];
    log.warn({}, "interrupted: finishing what is under way; once more ends at once");
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
