/** The command that writes block 0, or a checkpoint of its chain, into a data directory. */
import { MAX_GENESIS_LENGTH } from "../config/genesis.ts";
import { OptionError } from "../options/error.ts";
import { readBoundedText } from "../runtime/bounded-file.ts";
import { bootstrapFromArchive, startsFromCopy } from "./archive-commands.ts";
import { type CommandJob, prepare } from "./chain-commands.ts";
import { prepareDatadir } from "./datadir.ts";
import { openInterrupt } from "./signals.ts";

/** `knit init GENESIS`: writes block 0; with `--bootstrap` an empty directory gets a checkpoint of that chain first. */
export async function initCommand(job: CommandJob): Promise<void> {
  const { options, log } = prepare(job);
  const [file = ""] = job.arguments;
  const text = await readBoundedText(file, MAX_GENESIS_LENGTH).catch((error: NodeJS.ErrnoException) => {
    throw new OptionError("bad-file", `Failed to read genesis file: ${error.message}`, error);
  });
  await prepareDatadir(options.paths);
  const node = await job.shell.loadNode();
  if (startsFromCopy(options)) {
    const genesisHash = options.bootstrap.genesisHash ?? (await node.genesisHash(text));
    const bootstrap = { ...options.bootstrap, genesisHash };
    using interrupt = openInterrupt(job.shell.signals, log);
    await bootstrapFromArchive({
      shell: job.shell,
      options: { ...options, bootstrap },
      log,
      signal: interrupt.signal,
    });
  }
  const { hash } = await node.initDatadir(options, text);
  log.info({ database: "chaindata", hash }, "Successfully wrote genesis state");
}
