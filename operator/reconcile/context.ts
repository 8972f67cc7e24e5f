/** One Node while it is reconciled: what it asks for, what the steps found out, and the status that will be written. */
import { API_VERSION, pod } from "../api/names.ts";
import type { NodeStatus } from "../api/node-status.ts";
import { keyOf, type NodeResource, readNode } from "../api/resource.ts";
import { type Identity } from "../build/identity.ts";
import { gatewayName } from "../build/names.ts";
import type { GatewayAddress } from "../control/exchange.ts";
import type { Outcome } from "./outcome.ts";
import type { PodView } from "./pod-view.ts";
import type { Observation } from "./poller.ts";
import type { Surroundings } from "./surroundings.ts";

/** What steps find out for those after them. */
export interface Facts {
  identity?: Identity;
  pod?: PodView;
  /** The node's own word; there only when it is fresh. */
  told?: Observation & { readonly ok: true };
  missingPeers?: number;
}

/** One Node while it is reconciled. */
export interface Context {
  readonly key: string;
  readonly node: NodeResource;
  readonly around: Surroundings;
  readonly facts: Facts;
  /** What will be written. */
  status: NodeStatus;
}

/** A step, and its name for the log. */
export interface Step {
  readonly name: string;
  readonly run: (context: Context) => Promise<Outcome> | Outcome;
}

/** Begins with the status that is there. */
export function createContext(node: NodeResource, around: Surroundings): Context {
  return { key: keyOf(node.meta), node, around, facts: {}, status: node.status };
}

/** Where a node's gateway is, once its pod has an address. */
export function gatewayOf({ meta }: NodeResource, address: string): GatewayAddress {
  return { host: address, port: pod.gatewayPort, name: gatewayName(meta.name, meta.namespace) };
}

/** Writes the status now, if it is another than the one that is there; the steps after this build on it. */
export async function saveStatus(context: Context): Promise<void> {
  const { around, node, status } = context;
  const known = around.node(context.key);
  if (known === undefined || JSON.stringify(known.status) === JSON.stringify(status)) return;
  const { name, namespace } = node.meta;
  const written = await around.client.applyStatus({
    apiVersion: API_VERSION,
    kind: "Node",
    metadata: { name, namespace },
    status: JSON.parse(JSON.stringify(status)) as unknown, // absent members go
  });
  around.wrote(written);
  context.status = readNode(written).status;
}
