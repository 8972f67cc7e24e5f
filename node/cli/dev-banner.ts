/** The banner of `knit dev`: accounts, endpoints and first commands. */

import type { DevelopmentAccount } from "../compose/accounts.ts";
import type { NodeEndpoints } from "../compose/node.ts";
import { programVersion } from "../config/version.ts";
import type { MiningMode } from "../consensus/miner.ts";

/** Content of the banner. */
export interface DevBanner {
  readonly endpoints: Partial<NodeEndpoints>;
  /** The HTTP endpoint serves the page for browsers. */
  readonly hasPage: boolean;
  readonly accounts: readonly DevelopmentAccount[];
  /** Balance of each account in KLAY. */
  readonly balance: bigint;
  /** The mnemonic of the accounts when everybody knows it. */
  readonly mnemonic: string | undefined;
  /** Conditions under which it makes blocks; undefined when another node makes them. */
  readonly mode: MiningMode | undefined;
  /** Data directory; `undefined` for a temporary one. */
  readonly keptIn: string | undefined;
}

/** Returns the banner, with a final line feed. */
export function devBanner(banner: DevBanner): string {
  const { mode, keptIn } = banner;
  const kept = keptIn === undefined ? "deleted when it stops (--datadir DIR keeps it)" : `kept in ${keptIn}`;
  const sections = [
    `Knit ${programVersion()}: a development chain, ${paceText(mode)}, ${kept}. Ctrl+C stops it.`,
    accountLines(banner),
    endpointLines(banner),
    tryLines(banner),
  ];
  return `\n${sections.filter((section) => section !== "").join("\n\n")}\n\n`;
}

function paceText(mode: MiningMode | undefined): string {
  if (mode === undefined) return "whose blocks another node makes";
  const seconds = (mode.intervalMs ?? 0) / 1_000;
  if (seconds === 0) return mode.isAuto ? "a block for each transaction" : "blocks on request";
  return seconds === 1 ? "a block each second" : `a block every ${seconds} seconds`;
}

function accountLines({ accounts, balance, mnemonic }: DevBanner): string {
  if (accounts.length === 0) return "";
  const amount = balance.toString().replace(/\B(?=(\d{3})+$)/g, ",");
  const words = mnemonic === undefined ? [] : [`  mnemonic   ${mnemonic}`];
  const rows = accounts.map(({ address, privateKey }) => `  ${address}  ${privateKey}`);
  return [
    `Accounts with ${amount} KLAY each, and their private keys${mnemonic === undefined ? "" : " (public: for tests only)"}`,
    ...rows,
    ...words,
  ].join("\n");
}

function endpointLines({ endpoints: { http, ws, ipc, metrics }, hasPage }: DevBanner): string {
  const rows = [
    ["HTTP", http],
    ["WebSocket", ws],
    ["IPC", ipc],
    ["Metrics", metrics],
    ["Page", hasPage ? http : undefined],
  ] as const;
  const lines = rows.flatMap(([name, url]) => (url === undefined ? [] : [`  ${name.padEnd(10)} ${url}`]));
  return lines.length === 0 ? "" : ["Endpoints", ...lines].join("\n");
}

function tryLines({ endpoints: { http }, accounts: [from, to] }: DevBanner): string {
  if (http === undefined) return "";
  const request = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';
  const curl = `  curl -s -H 'content-type: application/json' -d '${request}' ${http}`;
  if (from === undefined || to === undefined) return ["Try", curl].join("\n");
  return [
    "Try",
    curl,
    "or with ethers 6 (node --input-type=module)",
    '  import { JsonRpcProvider, parseEther, Wallet } from "ethers";',
    `  const wallet = new Wallet("${from.privateKey}", new JsonRpcProvider("${http}"));`,
    `  const sent = await wallet.sendTransaction({ to: "${to.address}", value: parseEther("1") });`,
    "  console.log(await sent.wait());",
  ].join("\n");
}
