import { programVersion } from "./config/version.ts";

/** Go's words for machines, which clients of the Go node know. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

/**
 * How the node names itself: client, node name, version, system and runtime. The last part begins with `go`, as
 * clients expect, and says what it really is.
 */
export function clientName(nodeName: string): string {
  const architecture = ARCHITECTURES[process.arch] ?? process.arch;
  return `Knit/${nodeName}/v${programVersion()}/${process.platform}-${architecture}/go0-node${process.versions.node}`;
}
