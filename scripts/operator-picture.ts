/** Makes `docs/pictures/operator-page.png`: the status page of the operator for a network of eight, one of whose replicas fails. */
import { readNetwork, readNode } from "../operator/api/resource.ts";
import { statusPage } from "../operator/reconcile/status-page.ts";
import { openBrowser } from "../test/support/browser.ts";

const FILE = "docs/pictures/operator-page.png";
const HEIGHT = 48_213;

const meta = (name: string) => ({ name, namespace: "demo", uid: name, resourceVersion: "1" });
const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

const CORES = ["core-1", "core-2", "core-3", "core-4"];
const PROXIES = ["proxy-1", "proxy-2"];
const ENDPOINTS = ["endpoint", "endpoint-m1"];
const ALL = [...CORES, ...PROXIES, ...ENDPOINTS];
const urlOf = (name: string): string =>
  `kni://${ALL.indexOf(name).toString(16).padStart(128, "0")}@${name}-peer.demo.svc:32323?discport=0`;

const member = (name: string, peers: readonly string[], failure?: string) => ({
  name,
  ready: failure === undefined,
  ...(failure === undefined ? { height: HEIGHT } : { reason: failure }),
  url: urlOf(name),
  mesh: peers.filter((peer) => peer !== name).map(urlOf),
});

const aNode = (name: string, type: string, members: readonly object[], conditions: readonly object[] = []) =>
  readNode({
    metadata: meta(name),
    spec: { type, network: { name: "eight" } },
    status: { members, conditions },
  });

const failing = condition(
  "Ready",
  "False",
  "MachineLost",
  "endpoint-m1: the machine worker-3 does not report",
);
const nodes = [
  ...CORES.map((name) => aNode(name, "core", [member(name, CORES)])),
  ...PROXIES.map((name) => aNode(name, "proxy", [member(name, CORES)])),
  aNode(
    "endpoint",
    "endpoint",
    [member("endpoint", PROXIES), member("endpoint-m1", PROXIES, "MachineLost")],
    [failing],
  ),
];
const network = readNetwork({
  metadata: meta("eight"),
  spec: { genesis: { create: { chainId: 2019, validators: CORES } } },
  status: {
    height: HEIGHT,
    conditions: [condition("Ready", "False", "NodesNotReady", "endpoint-m1 is not ready")],
  },
});

const browser = await openBrowser();
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1100, height: 640 });
  await page.setContent(statusPage({ nodes, networks: [network] }));
  await page.screenshot({ path: FILE });
} finally {
  await browser.close();
}
