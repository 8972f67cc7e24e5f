/** The network of a test: in a directory that is made before each test of the file, and stopped and removed after it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "@jest/globals";
import { type Network, type NetworkOptions, openNetwork } from "../../scripts/network/network.ts";

/** Opens the network of the test that runs. */
export interface TestNetworks {
  /** Parent of the nodes' directories. */
  readonly directory: string;
  open(terms: Omit<NetworkOptions, "directory">): Promise<Network>;
}

/** Adds the hooks to the file. `name` is in the name of the directory. */
export function testNetworks(name: string): TestNetworks {
  let directory = "";
  let network: Network | undefined;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), `knit-${name}-`));
  });
  // Also after a test whose time is over.
  afterEach(async () => {
    await network?.[Symbol.asyncDispose]();
    network = undefined;
    await rm(directory, { recursive: true, force: true });
  }, 60_000);
  return {
    get directory() {
      return directory;
    },
    open: async (terms) => {
      network = await openNetwork({ ...terms, directory });
      return network;
    },
  };
}
