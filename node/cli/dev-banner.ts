/** The banner of `knit dev`: accounts, endpoints and first commands. */

import type { DevelopmentAccount } from "../compose/accounts.ts";
import type { NodeEndpoints } from "../compose/node.ts";
import { programVersion } from "../config/version.ts";

/** Content of the banner. */
export interface DevBanner {
  readonly endpoints: Partial<NodeEndpoints>;
  readonly accounts: readonly DevelopmentAccount[];
  /** Balance of each account in KLAY. */
  readonly balance: bigint;
  readonly intervalSeconds: number;
  /** Data directory; `undefined` for a temporary one. */
  readonly keptIn: string | undefined;
}

/** Returns the banner, with a final line feed. */
export function devBanner(banner: DevBanner): string {
  const { intervalSeconds, keptIn } = banner;
  const pace = intervalSeconds === 1 ? "a block each second" : `a block every ${intervalSeconds} seconds`;
  const kept = keptIn === undefined ? "deleted when it stops (--datadir DIR keeps it)" : `kept in ${keptIn}`;
  const sections = [
    `Knit ${programVersion()}: a development chain, ${pace}, ${kept}. Ctrl+C stops it.`,
    accountLines(banner),
    endpointLines(banner.endpoints),
    tryLines(banner),
  ];
  return `\n${sections.filter((section) => section !== "").join("\n\n")}\n\n`;
}

function accountLines({ accounts, balance }: DevBanner): string {
  if (accounts.length === 0) return "";
  const amount = balance.toString().replace(/\B(?=(\d{3})+$)/g, ",");
  const rows = accounts.map(({ address, privateKey }) => `  ${address}  ${privateKey}`);
  return [`Accounts with ${amount} KLAY each, and their private keys (public: for tests only)`, ...rows].join(
    "\n",
  );
}

function endpointLines({ http, ws, ipc, metrics }: Partial<NodeEndpoints>): string {
  const rows = [
    ["HTTP", http],
    ["WebSocket", ws],
    ["IPC", ipc],
    ["Metrics", metrics],
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
