/**
 * Generates docs/rpc.md and docs/openrpc.json from the registry: `node scripts/rpc-docs.ts`.
 */
import { writeFileSync } from "node:fs";
import { type ProfileName, type RpcProfile, rpcProfiles } from "../node/compat/profiles.ts";
import type { Method, ParameterRow } from "../node/jsonrpc/method.ts";
import { moduleOf, moduleRows } from "../node/jsonrpc/modules.ts";
import type { Registry } from "../node/jsonrpc/registry.ts";
import type { Subscription } from "../node/jsonrpc/subscription.ts";
import { createNodeRegistry, type NodeRegistryDeps } from "../node/rpc/node-registry.ts";
import { unsupported } from "../node/rpc/unsupported.ts";

/** Dependencies of a registry whose methods are never called. Only the profile's options are read. */
const UNUSED = {
  logs: {},
  calls: {},
  debug: {},
  process: {},
  development: {},
  impersonation: {},
} as unknown as NodeRegistryDeps;

/** Returns the registry of a profile. Its methods can be read, not called. */
export function registryOf(profile: ProfileName): Registry {
  return createNodeRegistry({ ...UNUSED, ...rpcProfiles[profile].options });
}

/** The registry that both documents describe. */
export const documented: Registry = registryOf("service");

const PROFILES = Object.keys(rpcProfiles) as readonly ProfileName[]; // the table's own keys

/** Path of the page. */
export const RPC_DOCS = "docs/rpc.md";

/** Path of the OpenRPC document. */
export const OPEN_RPC = "docs/openrpc.json";

/** Returns the OpenRPC document of all methods, as `rpc.discover` serves it over IPC. */
export function openRpc(): string {
  const document: unknown = JSON.parse(documented.view("all").document());
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

const INTRODUCTION = `# JSON-RPC

<!-- Written by scripts/rpc-docs.ts from the registry. Do not edit. -->

Every method with its parameters in order and its result. A parameter with a \`?\` is optional and may be null.
Quantities are hex without leading zeros (\`0x0\`, \`0x1f\`), data is hex with two digits per byte, amounts are in peb.
A \`block\` is a number, \`latest\`, \`earliest\`, \`pending\`, a block hash or \`{"blockNumber"}\` / \`{"blockHash"}\`.
\`pending\` is the newest block, whose pending form has neither hash nor miner; a nonce counts what the pool has. A Go node
answers with the header of an empty next block.

Methods marked *keys*, *files*, *listeners* or *process* use the node's keys, write files, open and close listeners or
control the process and its database; with \`--rpc.ipc-only-privileges\` they are available over IPC only.

\`rpc.discover\` (also \`rpc_discover\`) returns the OpenRPC document of the interface, in which a JSON schema lists the
members of each result; \`x-subscriptions\` of a \`_subscribe\` method has the parameters and notifications of its kinds.
docs/openrpc.json is the document of IPC. \`knit rpc METHOD [PARAMS]\` calls a method of a running node from the shell.

Refusals:

- A response of more than 25 MB (of a batch: all its responses) has code -32003; \`--rpc.max-answer-bytes\` sets another limit.
- While memory is short, methods marked *reader* and the remainder of long batches have -32005 ([memory.md](memory.md)).
- Bodies, receipts and logs that \`--history.blocks\` deleted have code 4444 and \`pruned history unavailable\`, as in geth. The
  error's data is the first complete block after block 0 (\`{"oldestBlock":"0x7b"}\`). Headers are always available;
  transactions of deleted blocks are unknown.

\`klay_\` and \`kaia_\` are aliases of \`chain_\`. Methods marked *reader* run in a reader thread, with a deadline.
IPC serves every module; HTTP and WebSocket serve the modules of their options, and always \`rpc\`.
The methods of \`dev\` exist on development chains alone (\`knit dev\`); [development-chain.md](development-chain.md) explains them.
`;

/** Returns the text of the page. */
export function rpcDocs(): string {
  const registry = documented;
  const sections = moduleRows.map(({ name }) => moduleSection(name, registry)).filter((text) => text !== "");
  return [INTRODUCTION, moduleTable(), ...sections, unsupportedTable(), profileTables()].join("\n");
}

function moduleTable(): string {
  const rows = moduleRows.map(({ name, aliases, open }) => {
    const listed = PROFILES.filter((profile) => name in rpcProfiles[profile].options.interfaces.listed);
    const names = [name, ...aliases].map(code).join(", ");
    return `| ${names} | ${open === "all" ? "yes" : open.length === 0 ? "no" : open.join(", ")} | ${listed.join(", ")} |`;
  });
  return `## Modules\n\n| module | public | named by \`rpc_modules\` in profile |\n|---|---|---|\n${rows.join("\n")}\n`;
}

function moduleSection(module: string, { methods, subscriptions }: Registry): string {
  const own = methods.filter(({ name }) => moduleOf(name.slice(0, name.indexOf("_")))?.name === module);
  const aliased = methods.filter(({ name, aliases }) => {
    return !own.some((each) => each.name === name) && aliases.some((alias) => alias.startsWith(`${module}_`));
  });
  const kinds = subscriptions.filter((row) => row.module === module);
  if (own.length + aliased.length + kinds.length === 0) return "";
  const parts = [`## ${module}\n`, ...own.toSorted(byName).map(methodText)];
  if (aliased.length > 0) parts.push(aliasText(module, aliased));
  if (kinds.length > 0) parts.push(subscriptionText(module, kinds));
  return parts.join("\n");
}

function methodText(row: Method): string {
  const { name, params, result, summary, runs, aliases, isLocal } = row;
  const own = aliases.filter((alias) => isToolName(alias) || alias.split("_")[0] === name.split("_")[0]);
  const also = own.length === 0 ? "" : ` Also ${own.map(code).join(", ")}.`;
  const privilege = row.privilege ?? moduleOf(name.slice(0, name.indexOf("_")))?.privilege;
  const marks = [runs === "reader" && "reader", privilege, isLocal && "IPC only"].filter(Boolean);
  const where = marks.map((mark) => ` *${mark}*`).join("");
  return `### ${name}\n\n\`(${params.map(parameter).join(", ")})\` → ${result.label}${where}\n\n${summary}${also}\n`;
}

/** True for the name that another tool gives a method of a development chain. */
function isToolName(name: string): boolean {
  return /^(anvil|evm|hardhat|tenderly)_/.test(name);
}

function parameter({ name, label }: ParameterRow): string {
  return `${name}: ${label}`;
}

function aliasText(module: string, methods: readonly Method[]): string {
  const rows = methods.toSorted(byName).flatMap(({ name, aliases }) => {
    return aliases
      .filter((alias) => alias.startsWith(`${module}_`))
      .map((alias) => `| ${code(alias)} | ${code(name)} |`);
  });
  return `Aliases:\n\n| name | see |\n|---|---|\n${rows.join("\n")}\n`;
}

function subscriptionText(module: string, kinds: readonly Subscription[]): string {
  const rows = kinds.map(({ name, params, summary }) => {
    return `| ${code(name)} | ${params.map(parameter).map(code).join(", ")} | ${summary} |`;
  });
  const head = `### ${module}_subscribe, ${module}_unsubscribe`;
  return `${head}\n\nOver WebSocket and IPC.\n\n| name | parameters | notifications |\n|---|---|---|\n${rows.join("\n")}\n`;
}

function unsupportedTable(): string {
  const rows = unsupported.map(({ names, reason }) => `| ${names.map(code).join(", ")} | ${reason} |`);
  const head = "## Unsupported\n\nMethods of the Go node that fail with -32601.";
  return `${head}\n\n| methods | reason |\n|---|---|\n${rows.join("\n")}\n`;
}

function profileTables(): string {
  const flat = PROFILES.map((name) => optionsOf(rpcProfiles[name]));
  const options = [...(flat[1]?.keys() ?? [])].map((key) => {
    return `| ${key} | ${flat.map((values) => values.get(key) ?? "").join(" | ")} |`;
  });
  const rows = [...new Set(PROFILES.flatMap((name) => rpcProfiles[name].rows))].map((row) => {
    const names = PROFILES.filter((name) => rpcProfiles[name].rows.includes(row));
    return `| ${names.join(", ")} | ${row.methods.map(code).join(", ")} | ${row.difference} |`;
  });
  return `## Profiles

\`--rpc.profile\` selects the answers of this service or of a line of the Go node. Options that it sets:

| | ${PROFILES.join(" | ")} |
|---|---|---|---|
${options.join("\n")}

Methods that it adapts, besides. \`klaytn\` also refuses the block tags \`safe\` and \`finalized\`.

| profile | methods | difference |
|---|---|---|
${rows.join("\n")}
`;
}

/** Returns the profile's options by name, those of a group under `group.name`. */
function optionsOf({ rows: _rows, options, ...rest }: RpcProfile): ReadonlyMap<string, string> {
  const { interfaces, ...groups } = options;
  const { lacks, listed, subscriptionLimit } = interfaces;
  const all = { chainModule: listed["chain"], lacks, subscriptionLimit, ...groups, ...rest };
  return new Map(Object.entries(all).flatMap(([key, value]) => namedValues(key, value)));
}

function namedValues(key: string, value: unknown): [string, string][] {
  if (typeof value === "function") return [];
  if (Array.isArray(value) || value instanceof Set) return [[key, [...value].join(", ")]];
  if (typeof value === "bigint") return [[key, value.toString()]];
  if (typeof value !== "object" || value === null) {
    return [[key, typeof value === "string" ? value : JSON.stringify(value)]];
  }
  return Object.entries(value).flatMap(([name, each]) => namedValues(`${key}.${name}`, each));
}

function byName(a: Method, b: Method): number {
  return a.name < b.name ? -1 : 1;
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) {
  writeFileSync(new URL(`../${RPC_DOCS}`, import.meta.url), rpcDocs());
  writeFileSync(new URL(`../${OPEN_RPC}`, import.meta.url), openRpc());
}
