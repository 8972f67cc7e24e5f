/** `knit dumpgenesis`: a public network's genesis file on stdout. */

import { publicNetworkOptions } from "../compose/options.ts";
import { kairos, mainnet } from "../config/presets/networks.ts";
import { OptionError } from "../options/error.ts";
import { optionValues } from "../options/resolve.ts";
import type { CommandJob } from "./chain-commands.ts";

/** Prints the genesis file. Throws `OptionError` for the main network, whose genesis file is not included. */
export function dumpGenesis({ shell, resolved }: CommandJob): void {
  const wanted = optionValues(publicNetworkOptions, resolved);
  if (wanted.kairos && wanted.mainnet) {
    throw new OptionError("clash", "--mainnet and --kairos: one network at a time");
  }
  const { name, genesis, genesisHash } = wanted.kairos ? kairos : mainnet;
  if (genesis === undefined) {
    throw new OptionError(
      "bad-value",
      `the genesis file of the ${name} is not included; any copy of it gives block 0 the hash ${genesisHash} (--kairos prints the test network's)`,
    );
  }
  shell.stdout.write(`${JSON.stringify(genesis, undefined, 2)}\n`);
}
