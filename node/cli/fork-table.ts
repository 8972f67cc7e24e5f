/** `knit version --forks`: the forks that this version has rules for, with their blocks on the public networks. */
import { forks } from "../config/forks.ts";
import { kairos, mainnet } from "../config/presets/networks.ts";

/** A fork: its name, and its block on each public network. */
export interface ForkBlocks {
  readonly name: string;
  readonly mainnet: number | undefined;
  readonly kairos: number | undefined;
}

/** Returns all forks that this version has rules for, in the order of the chain. */
export function publicForks(): readonly ForkBlocks[] {
  const [main, test] = [mainnet, kairos].map(
    ({ config }) => new Map<string, unknown>(Object.entries(config)),
  );
  return forks.map(({ name, configKey }) => ({
    name: name.replace(/Block$/, ""),
    mainnet: blockIn(main, configKey),
    kairos: blockIn(test, configKey),
  }));
}

function blockIn(config: ReadonlyMap<string, unknown> | undefined, key: string): number | undefined {
  const block = config?.get(key);
  return typeof block === "number" ? block : undefined;
}

/** Returns the forks as lines of text: name, main network, Kairos. */
export function forkTable(): string {
  const rows = publicForks().map((fork) => [fork.name, text(fork.mainnet), text(fork.kairos)]);
  const lines = [["fork", "main network", "Kairos"], ...rows].map(
    ([name = "", ...blocks]) => name.padEnd(12) + blocks.map((block) => block.padStart(14)).join(""),
  );
  return `${lines.join("\n")}\n`;
}

function text(block: number | undefined): string {
  return block === undefined ? "not scheduled" : String(block);
}
