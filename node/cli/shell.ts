/** What the command line meets outside itself; passed in so that tests play the machine. */

import type { HostSystem } from "../config/options-paths.ts";
import type { ConsoleStreams } from "../console/lines.ts";
import type { ProgressStream } from "../observe/progress.ts";
import type { Clock } from "../runtime/clock.ts";
import type { NodeCommands } from "./commands.ts";
import type { LauncherWatch } from "./launcher.ts";
import type { Prompter } from "./prompter.ts";
import type { SignalSource } from "./signals.ts";

/** The machine as the command line sees it. */
export interface Shell {
  /** The name under which the program was started, such as `knit` or `kcn`. */
  readonly program: string;
  readonly stdout: ProgressStream;
  readonly stderr: ProgressStream;
  readonly prompter: Prompter;
  /** What a console reads and writes; standard input is opened by it. */
  readonly terminal: () => ConsoleStreams;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly host: HostSystem;
  readonly signals: SignalSource;
  /** Watches what this process must not outlive; undefined where somebody started it by itself. */
  readonly openLauncherWatch?: () => LauncherWatch | undefined;
  readonly clock: Clock;
  /** Sees to it that the heap takes at most so many bytes; the process may begin anew for that. */
  readonly limitHeap: (bytes: number | undefined) => void;
  /** Loads the node's code; called by the commands that need it. */
  readonly loadNode: () => Promise<NodeCommands>;
}
