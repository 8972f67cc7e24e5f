/** The page on exposing JSON-RPC: its Nodes make the Ingress and the route that it describes. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { flags } from "../../../node/cli/flags.ts";
import { readNode } from "../../../operator/api/resource.ts";
import { httpRoute, rpcIngress } from "../../../operator/build/exposure.ts";
import { rpcService } from "../../../operator/build/services.ts";
import { settingsText } from "../../../operator/build/settings.ts";

const page = readFileSync("docs/operator/expose-rpc.md", "utf8");
const [byIngress, byRoute] = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = ""]) => {
  const shown = parse(text) as { metadata: object };
  return readNode({ ...shown, metadata: { ...shown.metadata, uid: "u", resourceVersion: "1" } });
});
if (byIngress?.spec.ingress === undefined || byRoute === undefined)
  throw new Error("the page shows a Node with an Ingress and one with a route");
const exposure = byIngress.spec.ingress;

const compareTexts = (a: string, b: string): number => (a < b ? -1 : 1);

test("the Ingress has the addresses of the table, with TLS, and leads to ports of the Service", () => {
  const addresses = [...page.matchAll(/^\| `(\w+):\/\/([^/]+)(\S+)` \|/gm)].map(([, ...parts]) => parts);
  expect(addresses).toEqual([
    ["https", "rpc.example.org", "/"],
    ["wss", "rpc.example.org", "/ws"],
    ["wss", "ws.example.org", "/"],
  ]);
  const withHost = { ...byIngress.spec, ingress: { ...exposure, wsHost: "ws.example.org" } };
  const ports = new Map(rpcService(byIngress)?.spec?.ports?.map(({ name, port }) => [name, port]));
  const rules = rpcIngress({ ...byIngress, spec: withHost })?.spec?.rules ?? [];
  const made = rules.flatMap(({ host, http }) =>
    (http?.paths ?? []).map(({ path, backend }) => {
      expect(ports.has(backend.service?.port?.name)).toBe(true);
      return [backend.service?.port?.name === "ws" ? "wss" : "https", host, path];
    }),
  );
  expect(made.map(String).sort(compareTexts)).toEqual(addresses.map(String).sort(compareTexts));
  expect(rpcIngress(byIngress)?.spec?.tls).toEqual([{ hosts: ["rpc.example.org"], secretName: "rpc-tls" }]);
});

test("the route leads to ports of the Service", () => {
  const { ports } = rpcService(byRoute)?.spec ?? {};
  const made = httpRoute(byRoute)?.spec.rules.flatMap(({ backendRefs }) =>
    backendRefs.map(({ port }) => port),
  );
  expect(made?.sort()).toEqual(ports?.map(({ port }) => port).sort());
});

test("the nodes answer the host, and the settings of the page are flags of knit", () => {
  const node = { node: byIngress, name: "endpoint" };
  const settings = parse(settingsText(node)) as Record<string, unknown>;
  expect(settings["rpcvhosts"]).toEqual(expect.arrayContaining(["rpc.example.org"]));
  expect(settings["rpccorsdomain"]).toEqual(["https://wallet.example.org"]);
  const names = Object.keys(byIngress.spec.settings);
  expect(names.map((name) => flags.find(name)?.flag)).toEqual(names);
  expect(names).toEqual(expect.arrayContaining(["rpc.client-rate"]));
});
