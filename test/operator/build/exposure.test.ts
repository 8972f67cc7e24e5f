/** Ingress and routes of a Node: hosts, paths and TLS, and the hosts and origins that its nodes then answer. */
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { exposedHosts, httpRoute, rpcIngress, wsRoute } from "../../../operator/build/exposure.ts";
import { settingsText } from "../../../operator/build/settings.ts";
import { aMember, aNode } from "../../support/a-member.ts";

const WS = { ws: { enabled: true } };
const HOSTS = ["rpc.example.org", "rpc.example.com"];
const ROUTE = { hosts: HOSTS, parents: [{ name: "public", namespace: "gateways", sectionName: "https" }] };

const service = (name: string) => ({ service: { name: "first", port: { name } } });

test("an Ingress leads each host to HTTP, and to WebSocket by its own path", () => {
  const made = rpcIngress(
    aNode({ api: WS, ingress: { hosts: HOSTS, className: "nginx", tlsSecret: "tls" } }),
  );
  const paths = [
    { path: "/ws", pathType: "Exact", backend: service("ws") },
    { path: "/", pathType: "Prefix", backend: service("http") },
  ];
  expect(made).toMatchObject({ apiVersion: "networking.k8s.io/v1", kind: "Ingress" });
  expect(made?.spec).toEqual({
    ingressClassName: "nginx",
    tls: [{ hosts: HOSTS, secretName: "tls" }],
    rules: HOSTS.map((host) => ({ host, http: { paths } })),
  });
});

test("a host for WebSocket alone has every path, and its name in the certificate", () => {
  const spec = { hosts: ["rpc.example.org"], wsHost: "ws.example.org", tlsSecret: "tls" };
  const made = rpcIngress(aNode({ api: WS, ingress: spec }));
  expect(made?.spec?.rules?.at(-1)).toEqual({
    host: "ws.example.org",
    http: { paths: [{ path: "/", pathType: "Prefix", backend: service("ws") }] },
  });
  expect(made?.spec?.tls).toEqual([{ hosts: ["rpc.example.org", "ws.example.org"], secretName: "tls" }]);
});

test("what is not served has no path, and a node that serves nothing no object", () => {
  const made = rpcIngress(aNode({ ingress: { hosts: HOSTS, wsHost: "ws.example.org" } }));
  expect(JSON.stringify(made?.spec)).not.toContain("ws");
  expect(made?.spec).not.toHaveProperty("tls");
  const nothing = { http: { enabled: false } };
  expect(rpcIngress(aNode({ api: nothing, ingress: { hosts: HOSTS } }))).toBeUndefined();
  expect(httpRoute(aNode({ api: nothing, route: ROUTE }))).toBeUndefined();
  expect(wsRoute(aNode({ api: nothing, route: { ...ROUTE, wsHost: "ws.example.org" } }))).toBeUndefined();
  expect([rpcIngress(aNode()), httpRoute(aNode()), wsRoute(aNode())]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

const backend = (port: number) => [{ name: "first", port }];

test("a route belongs to its Gateways, and a host for WebSocket has a route of its own", () => {
  const node = aNode({ api: WS, route: { ...ROUTE, path: "/rpc", wsHost: "ws.example.org" } });
  expect(httpRoute(node)).toMatchObject({
    metadata: { name: "first", namespace: "demo" },
    spec: {
      parentRefs: ROUTE.parents,
      hostnames: HOSTS,
      rules: [
        { matches: [{ path: { type: "Exact", value: "/ws" } }], backendRefs: backend(8552) },
        { matches: [{ path: { type: "PathPrefix", value: "/rpc" } }], backendRefs: backend(8551) },
      ],
    },
  });
  expect(wsRoute(node)).toMatchObject({
    metadata: { name: "first.ws" },
    spec: {
      parentRefs: ROUTE.parents,
      hostnames: ["ws.example.org"],
      rules: [{ matches: [{ path: { type: "PathPrefix", value: "/" } }], backendRefs: backend(8552) }],
    },
  });
});

test("further labels and annotations are added, and the operator's own stay", () => {
  const more = { labels: { team: "chain" }, annotations: { "cert-manager.io/cluster-issuer": "ours" } };
  for (const made of [
    rpcIngress(aNode({ ingress: { hosts: HOSTS, ...more } })),
    httpRoute(aNode({ route: { ...ROUTE, ...more } })),
  ])
    expect(made?.metadata).toMatchObject({
      labels: { team: "chain", "app.kubernetes.io/managed-by": "knit-operator", "knit.dev/node": "first" },
      annotations: more.annotations,
      ownerReferences: [{ kind: "Node", name: "first" }],
    });
});

test("the nodes answer the hosts of both, once each, and pages of the origins", () => {
  const spec = {
    api: { ...WS, origins: ["https://wallet.example.org"] },
    settings: { rpccorsdomain: "*", wsorigins: "*" },
    ingress: { hosts: HOSTS, wsHost: "ws.example.org" },
    route: ROUTE,
  };
  expect(exposedHosts(aNode(spec).spec)).toEqual([...HOSTS, "ws.example.org"]);
  const settings = parse(settingsText(aMember(spec))) as Record<string, unknown>;
  expect(settings["rpcvhosts"]).toEqual(expect.arrayContaining(["first", ...HOSTS, "ws.example.org"]));
  expect([settings["rpccorsdomain"], settings["wsorigins"]]).toEqual([spec.api.origins, spec.api.origins]);
  const without = parse(settingsText(aMember({ settings: spec.settings }))) as Record<string, unknown>;
  expect([without["rpccorsdomain"], without["wsorigins"]]).toEqual(["*", "*"]);
});
