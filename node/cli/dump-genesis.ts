/** `knit dumpgenesis`: a public network's genesis file on stdout. */

import { publicNetworkOptions } from "../compose/options.ts";
import { kairos, mainnet } from "../config/presets/networks.ts";
import { OptionError } from "../options/error.ts";
import { optionValues } from "../options/resolve.ts";
import type { CommandJob } from "./chain-commands.ts";

/** Prints the genesis file, the main network's by default. Throws `OptionError` for two networks. */
export function dumpGenesis({ shell, resolved }: CommandJob): void {
  const wanted = optionValues(publicNetworkOptions, resolved);
  if (wanted.kairos && wanted.mainnet) {
    throw new OptionError("clash", "--mainnet and --kairos: one network at a time");
  }
  const { genesis } = wanted.kairos ? kairos : mainnet;
  shell.stdout.write(`${JSON.stringify(genesis(), undefined, 2)}\n`);
}
