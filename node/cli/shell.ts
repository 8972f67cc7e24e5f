/** The environment of the command line, passed in so that tests can replace it. */

import type { HostSystem } from "../compose/paths.ts";
import type { ConsoleStreams } from "../console/lines.ts";
import type { ProgressStream } from "../observe/progress.ts";
import type { Clock } from "../runtime/clock.ts";
import type { NodeCommands } from "./commands.ts";
import type { LauncherWatch } from "./launcher.ts";
import type { Prompter } from "./prompter.ts";
import type { SignalSource } from "./signals.ts";

/** Standard input and output for bytes. */
export interface BinaryStreams {
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: (bytes: Uint8Array) => Promise<void>;
}

/** Streams, signals, environment variables and host of the command line. */
export interface Shell {
  /** Name of the executable, such as `knit` or `kcn`. */
  readonly program: string;
  readonly stdout: ProgressStream;
  readonly stderr: ProgressStream;
  readonly prompter: Prompter;
  /** Opens standard input and output for bytes; `write` resolves when more can be written. */
  readonly binary: () => BinaryStreams;
  /** Opens the streams of a console, standard input among them. */
  readonly terminal: () => ConsoleStreams;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly host: HostSystem;
  readonly signals: SignalSource;
  /** Watches the launcher; `undefined` without one. */
  readonly openLauncherWatch?: () => LauncherWatch | undefined;
  readonly clock: Clock;
  /** Limits the heap to a number of bytes; the process may be replaced for it. */
  readonly limitHeap: (bytes: number | undefined) => void;
  /** Loads the node's code, for the commands that need it. */
  readonly loadNode: () => Promise<NodeCommands>;
}
