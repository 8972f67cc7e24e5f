/**
 * `kubectl knit`: commands for people, with the rights of their KUBECONFIG. Reads the statuses that the operator writes,
 * and requests actions by the annotations that the operator follows; it decides nothing itself.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { annotations, type Operation, RESTART } from "../api/names.ts";
import { keyOf, type NodeResource } from "../api/resource.ts";
import { nodeOfMember, objectNames } from "../build/names.ts";
import type { KubeClient } from "../kube/client.ts";
import { kinds } from "../kube/resources.ts";
import { formatInstant } from "../observe/clock.ts";
import { PluginError } from "./error.ts";
import { meshGraph } from "./graph.ts";
import { peersTable } from "./peers.ts";
import { listNetworks, listNodes } from "./read.ts";
import { collectReport, reportName } from "./report.ts";
import { statusTree } from "./status.ts";

/** Client for the plugin, and the namespace of the context. */
export interface Session extends AsyncDisposable {
  readonly client: Pick<KubeClient, "page" | "merge" | "log">;
  readonly namespace: string;
}

/** Dependencies of the plugin. */
export interface PluginDeps {
  /** Opens the connection by KUBECONFIG. */
  readonly connect: (context: string | undefined) => Promise<Session>;
  readonly print: (text: string) => void;
  readonly version: string;
  readonly now: () => number;
  /** Ends the following of a log. */
  readonly signal: AbortSignal;
}

interface Invocation extends PluginDeps {
  readonly client: Session["client"];
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly names: readonly string[];
  readonly options: Options;
}

const flags = {
  namespace: { type: "string", short: "n" },
  "all-namespaces": { type: "boolean", short: "A" },
  context: { type: "string" },
  network: { type: "string" },
  container: { type: "string", short: "c" },
  tail: { type: "string" },
  previous: { type: "boolean", short: "p" },
  follow: { type: "boolean", short: "f" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

type Options = ReturnType<typeof parseWords>["values"];

interface PluginCommand {
  readonly usage: string;
  readonly says: string;
  readonly run: (invocation: Invocation) => Promise<void>;
}

const commands: Readonly<Record<string, PluginCommand>> = {
  status: {
    usage: "[NODE...]",
    says: "Networks, Nodes and replicas as a tree, with reasons",
    run: printStatus,
  },
  peers: { usage: "[NODE...]", says: "the required peers of each replica", run: printPeers },
  graph: { usage: "", says: "the mesh as a Mermaid flowchart", run: printGraph },
  logs: {
    usage: "REPLICA [-c node|gateway] [-f] [-p] [--tail N]",
    says: "the log of a replica",
    run: printLog,
  },
  migrate: operation("migrate", "requests a state migration"),
  "save-cache": operation("save-cache", "requests that the trie cache is saved"),
  checkpoint: operation("checkpoint", "requests a backup to the archive of spec.backup"),
  restart: operation(RESTART, "requests a rolling restart, one pod at a time and never below the quorum"),
  pause: {
    usage: "NODE... | --network NAME",
    says: "the operator observes the Nodes and changes nothing",
    run: (invocation) => annotate(invocation, annotations.paused, "true", "paused"),
  },
  resume: {
    usage: "NODE... | --network NAME",
    says: "ends a pause",
    run: (invocation) => annotate(invocation, annotations.paused, null, "resumed"),
  },
  report: {
    usage: "[-o FILE] [--tail N]",
    says: "writes what a maintainer needs to a file, without secrets",
    run: writeReport,
  },
};

/** Runs a command. Throws `PluginError` and `KubeError`. */
export async function runPlugin(words: readonly string[], deps: PluginDeps): Promise<void> {
  const { values: options, positionals } = parseWords(words);
  const [name = "help", ...names] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined || options.help === true) {
    deps.print(helpText());
    if (command === undefined && name !== "help") throw new PluginError("usage", `${name} is not a command`);
    return;
  }
  await using session = await deps.connect(options.context);
  const namespace = options["all-namespaces"] === true ? undefined : (options.namespace ?? session.namespace);
  await command.run({ ...deps, client: session.client, namespace, names, options });
}

function parseWords(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: flags, allowPositionals: true });
  } catch (error) {
    throw new PluginError("usage", (error as Error).message);
  }
}

function helpText(): string {
  const rows = Object.entries(commands).map(
    ([name, { usage, says }]) => `  kubectl knit ${name} ${usage}`.trimEnd().padEnd(64) + `  ${says}\n`,
  );
  return `kubectl knit: the second day of Nodes and Networks\n\n${rows.join("")}\n  -n, --namespace NAME   -A, --all-namespaces   --context NAME\n`;
}

async function printStatus({ client, namespace, names, print }: Invocation): Promise<void> {
  const nodes = select(await listNodes(client, namespace), names);
  const networks = await listNetworks(client, namespace);
  const isOf = (key: string): boolean =>
    names.length === 0 ||
    nodes.some(({ meta, spec }) => keyOf({ namespace: meta.namespace, name: spec.network.name }) === key);
  print(
    statusTree(
      networks.filter(({ meta }) => isOf(keyOf(meta))),
      nodes,
    ),
  );
}

async function printPeers({ client, namespace, names, print }: Invocation): Promise<void> {
  const all = await listNodes(client, namespace);
  print(peersTable(select(all, names), all));
}

async function printGraph({ client, namespace, print }: Invocation): Promise<void> {
  print(meshGraph(await listNodes(client, namespace)));
}

/** Selects Nodes by name, or by the name of a replica. Throws `PluginError` for a name without a Node. */
function select(nodes: readonly NodeResource[], names: readonly string[]): readonly NodeResource[] {
  if (names.length === 0) return nodes;
  const wanted = names.map((name) => ({ name, node: nodeOfMember(name) }));
  for (const { name, node } of wanted)
    if (!nodes.some(({ meta }) => meta.name === node))
      throw new PluginError("not-found", `there is no Node ${name}`);
  return nodes.filter(({ meta }) => wanted.some(({ node }) => node === meta.name));
}

async function printLog({ client, namespace, names, options, print, signal }: Invocation): Promise<void> {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0)
    throw new PluginError("usage", "logs takes the name of one replica");
  const place = { namespace: oneNamespace(namespace), name: objectNames(name).pod };
  const { container = "node", previous = false, follow = false } = options;
  const query = { container, tailLines: linesOf(options.tail, 200), previous, follow };
  for await (const text of client.log(place, query, signal)) print(text);
}

function linesOf(text: string | undefined, standard: number): number {
  const lines = text === undefined ? standard : Number(text);
  if (!Number.isInteger(lines) || lines < 0 || lines > 100_000)
    throw new PluginError("usage", "--tail must be a number of lines up to 100000");
  return lines;
}

function oneNamespace(namespace: string | undefined): string {
  if (namespace === undefined) throw new PluginError("usage", "this command takes one namespace");
  return namespace;
}

function operation(value: Operation | typeof RESTART, says: string): PluginCommand {
  const run = (invocation: Invocation): Promise<void> =>
    annotate(invocation, annotations.run, value, `${value} requested`);
  return { usage: "NODE... | --network NAME", says, run };
}

/** Sets an annotation of the named Nodes, or of all of a Network; null removes it. */
async function annotate(
  { client, namespace, names, options, print }: Invocation,
  annotation: string,
  value: string | null,
  done: string,
): Promise<void> {
  const { network } = options;
  if ((names.length === 0) === (network === undefined))
    throw new PluginError("usage", "name Nodes, or a Network by --network");
  const replica = names.find((name) => nodeOfMember(name) !== name);
  if (replica !== undefined)
    throw new PluginError(
      "usage",
      `${replica} is a replica, and this is for a whole Node: name ${nodeOfMember(replica)}`,
    );
  const nodes = await listNodes(client, oneNamespace(namespace));
  const chosen =
    network === undefined ? select(nodes, names) : nodes.filter(({ spec }) => spec.network.name === network);
  if (chosen.length === 0) throw new PluginError("not-found", `the Network ${network} has no Nodes`);
  for (const { meta } of chosen) {
    const patch = { metadata: { annotations: { [annotation]: value } } };
    await client.merge(kinds.node, { namespace: meta.namespace, name: meta.name }, patch);
    print(`${meta.name}: ${done}\n`);
  }
}

async function writeReport({ client, namespace, options, now, version, print }: Invocation): Promise<void> {
  const place = { namespace: oneNamespace(namespace), time: formatInstant(now()) };
  const text = await collectReport({ client, ...place, version, tailLines: linesOf(options.tail, 500) });
  const file = options.output ?? reportName(place);
  if (file === "-") return print(text);
  await writeFile(file, text, { mode: 0o600 });
  print(`${file}: ${text.length} characters; secrets are not read, read it before you share it\n`);
}
