/** The page on exposing JSON-RPC: its Node fits, and its routes lead to ports of the Node's Service. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { flags } from "../../../node/cli/flags.ts";
import { readNode } from "../../../operator/api/resource.ts";
import { rpcService } from "../../../operator/build/services.ts";

const page = readFileSync("docs/operator/expose-rpc.md", "utf8");
const [node, ingress, route] = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(
  ([, text = ""]) => parse(text) as { metadata: object; spec: Record<string, unknown> },
);

const resource = readNode({ ...node, metadata: { ...node?.metadata, uid: "u", resourceVersion: "1" } });
const service = rpcService(resource);

test("the routes lead to the Service of the Node, by ports that it has", () => {
  const ports = service?.spec?.ports ?? [];
  const backends = [
    ...JSON.stringify(ingress).matchAll(/"service":\{"name":"(\w+)","port":\{"name":"(\w+)"/g),
  ];
  expect(backends.map(([, name, port]) => [name, port])).toEqual([
    [service?.metadata.name, "ws"],
    [service?.metadata.name, "http"],
  ]);
  expect(ports.map(({ name }) => name)).toEqual(["http", "ws"]);
  const refs = [...JSON.stringify(route).matchAll(/"backendRefs":\[\{"name":"(\w+)","port":(\d+)/g)];
  expect(refs.map(([, name, port]) => [name, Number(port)])).toEqual([
    [service?.metadata.name, ports[1]?.port],
    [service?.metadata.name, ports[0]?.port],
  ]);
});

test("the host of the routes is one that the node answers, and its settings are flags of knit", () => {
  const hosts = [...JSON.stringify([ingress, route]).matchAll(/rpc\.example\.org/g)];
  expect(hosts.length).toBe(3);
  expect(resource.spec.api.hosts).toEqual(["rpc.example.org"]);
  const names = Object.keys(resource.spec.settings);
  expect(names.map((name) => flags.find(name)?.flag)).toEqual(names);
  expect(names).toEqual(expect.arrayContaining(["rpccorsdomain", "rpc.client-rate"]));
});
