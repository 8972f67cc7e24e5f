/** Rules of the ways to JSON-RPC from outside: what each accepts and refuses. */
import type { Row } from "./template-rules.ts";

const PROXY = { type: "proxy", network: { name: "n" } };
const ROUTE = { hosts: ["rpc.example.org"], parents: [{ name: "public", namespace: "gateways" }] };

/** Rules of `spec.ingress`, `spec.route` and `spec.api.origins`. */
export const exposureRules: readonly Row[] = [
  [
    "must be an origin such as https://wallet.example.org, or *",
    { ...PROXY, api: { origins: ["*", "https://wallet.example.org"] } },
    { ...PROXY, api: { origins: ["wallet.example.org"] } },
  ],
  [
    "must be a host name of lower-case letters, digits, hyphens and dots",
    { ...PROXY, ingress: { hosts: ["rpc.example.org"], wsHost: "ws.example.org" } },
    { ...PROXY, ingress: { hosts: ["https://rpc.example.org"] } },
  ],
  [
    "must be a path such as /rpc",
    { ...PROXY, ingress: { hosts: ["rpc.example.org"], path: "/rpc" } },
    { ...PROXY, ingress: { hosts: ["rpc.example.org"], path: "rpc" } },
  ],
  [
    "path and wsPath must differ",
    { ...PROXY, route: { ...ROUTE, path: "/rpc" } },
    { ...PROXY, route: { ...ROUTE, path: "/ws" } },
  ],
  [
    "wsHost cannot be one of hosts: wsPath is the path of WebSocket there",
    { ...PROXY, ingress: { hosts: ["rpc.example.org"], wsPath: "/socket" } },
    { ...PROXY, ingress: { hosts: ["rpc.example.org"], wsHost: "rpc.example.org" } },
  ],
  [
    "privileged modules cannot be served outside the cluster: remove ingress and route",
    { ...PROXY, api: { privileged: true } },
    { ...PROXY, api: { privileged: true }, route: ROUTE },
  ],
];
