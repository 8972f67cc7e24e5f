/** State of a reconciliation: the Node, the facts that steps establish, and the status to write. */
import { API_VERSION } from "../api/names.ts";
import type { MemberStatus, NodeStatus } from "../api/node-status.ts";
import { type NetworkResource, type NodeResource, readNode } from "../api/resource.ts";
import { type Identity } from "../build/identity.ts";
import type { Member } from "../build/names.ts";
import type { PodInputs } from "../build/template.ts";
import { KubeError } from "../kube/error.ts";
import type { RolloutPlan } from "../plan/rollout.ts";
import type { Stop } from "../plan/stop.ts";
import type { VolumeVerdict } from "../plan/storage.ts";
import type { ReconcileDeps } from "./deps.ts";
import { statusWithoutFigures } from "./fingerprint.ts";
import type { Observation } from "./observation.ts";
import type { Outcome } from "./outcome.ts";
import type { PodFailure } from "./pod-failure.ts";
import type { PodView } from "./pod-view.ts";

/** Facts about a member that steps establish for later ones. */
export interface MemberFacts {
  identity?: Identity;
  /** Outcome of a missing or unusable node key. */
  key?: Outcome;
  /** False when no claim may be created. */
  claims?: boolean;
  /** Permissions that were considered: nothing had changed, or the change was permitted. */
  judged?: { key?: true; chain?: true };
  /** Set when the member must not continue until a user intervenes. */
  stop?: Stop;
  pod?: PodView;
  /** Digest of the template from which the pod was made; undefined for one of an early release. */
  podDigest?: string | undefined;
  /** Failure of the pod that does not resolve by waiting. */
  failing?: PodFailure | undefined;
  /** True for a node that cannot trust its head without peers. */
  needsPeers?: boolean;
  /** Recent observation of the node. */
  report?: Observation & { readonly ok: true };
  /** True when it has its former template again, because it was not ready with the current one. */
  rollsBack?: boolean;
  /** Template and settings of its StatefulSet, and those that this release writes for the current spec. */
  inputs?: PodInputs;
  fresh?: PodInputs;
  /** True when it keeps the template of its StatefulSet for now. */
  keeps?: boolean;
  volume?: VolumeVerdict;
  /** Prospect of more space on the volume. */
  growth?: string;
  /** Delay of the next reconciliation in milliseconds, even when all steps complete. */
  againMs?: number;
  /** True while a pod exists, including one that terminates. */
  hasPod?: boolean;
  /** Outcome of the first step that failed before the node was observed. */
  trouble?: Outcome | undefined;
}

/** State of a member during a reconciliation. */
export interface MemberContext {
  /** `namespace/name` of the member. */
  readonly key: string;
  readonly member: Member;
  /** The Node with the defaults of its Network. */
  readonly node: NodeResource;
  readonly deps: ReconcileDeps;
  readonly facts: MemberFacts;
  /** Status to write. */
  status: MemberStatus;
}

/** State of a Node during a reconciliation. */
export interface Context {
  readonly key: string;
  /** The Node with the defaults of its Network. */
  readonly node: NodeResource;
  readonly network: NetworkResource | undefined;
  readonly deps: ReconcileDeps;
  readonly members: readonly MemberContext[];
  /** Status to write; those of the members are added at the end. */
  status: NodeStatus;
  /** True while an action waits because the chain would stop, or is being done by permission. */
  isStopPending?: boolean;
  /** Trouble of a requested suspension or deletion, and whether that waits. */
  readonly stop: { readonly message: string; readonly isHeld: boolean } | undefined;
  /** Plan of the rollout; only while a member is to be recreated. */
  rollout?: RolloutPlan;
  /** Delay of the next reconciliation in milliseconds, even when all steps complete. */
  againMs?: number;
}

/** A step with its name for the log. */
export interface Step<C = Context> {
  readonly name: string;
  readonly run: (context: C) => Promise<Outcome> | Outcome;
  /** True when later steps do not depend on it and run although it failed. */
  readonly isAlone?: boolean;
}

/**
 * Writes the status now if it changed. A change of figures alone is written only when they are stale. The steps after
 * this one rely on the written status. The precondition is the version, because the API server ignores a UID here. Throws
 * `KubeError`, `conflict` when the Node has changed, or another one has its name.
 */
export async function saveStatus(context: Context): Promise<void> {
  const { deps, node, status } = context;
  const { name, namespace, uid } = node.meta;
  const known = deps.cache.node(context.key);
  if (known?.meta.uid !== uid) throw new KubeError("conflict", `the Node ${context.key} is gone`);
  const relevant = deps.memory.areFiguresStale(context.key) ? identity : statusWithoutFigures;
  if (JSON.stringify(relevant(known.status)) === JSON.stringify(relevant(status))) return;
  const { resourceVersion } = known.meta;
  const written = await deps.client.applyStatus({
    apiVersion: API_VERSION,
    kind: "Node",
    metadata: { name, namespace, resourceVersion },
    status: JSON.parse(JSON.stringify(status)) as NodeStatus, // absent members go
  });
  deps.memory.markFiguresWritten(context.key);
  deps.cache.recordWrite(written);
  context.status = readNode(written).status;
}

function identity(status: NodeStatus): NodeStatus {
  return status;
}
