/**
 * The pod template that a StatefulSet already has, and the digest of a Node's inputs to it. While the digest is
 * unchanged, the template is reused as it was written, so that an upgrade of the operator with another gateway image or
 * other builders does not recreate pods.
 */
import { createHash } from "node:crypto";
import type { V1PodTemplateSpec } from "@kubernetes/client-node";
import { annotations } from "../api/names.ts";
import { exposedHosts } from "./exposure.ts";
import type { Member } from "./names.ts";

interface Annotated {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> | null } | null;
}

/** Maximum length of a template as JSON; a longer one would not be found again in the annotation. */
export const MAX_TEMPLATE_LENGTH = 65_536;

/** Reads the template that was applied last; undefined when there is none or it cannot be parsed. */
export function lastAppliedTemplate(statefulSet: unknown): V1PodTemplateSpec | undefined {
  const text = ((statefulSet ?? {}) as Annotated).metadata?.annotations?.[annotations.template];
  if (typeof text !== "string" || text.length > MAX_TEMPLATE_LENGTH) return undefined;
  try {
    const template: unknown = JSON.parse(text);
    return typeof template === "object" && template !== null ? template : undefined;
  } catch {
    return undefined;
  }
}

/** True for a StatefulSet that keeps a pod. */
export function isScaledUp(statefulSet: unknown): boolean {
  const { spec } = (statefulSet ?? {}) as { readonly spec?: { readonly replicas?: unknown } | null };
  return Number(spec?.replicas ?? 0) > 0;
}

/** Reads the settings file of the template that was applied last; undefined when it is not recorded. */
export function lastAppliedSettings(statefulSet: unknown): string | undefined {
  const text = ((statefulSet ?? {}) as Annotated).metadata?.annotations?.[annotations.settingsFile];
  return typeof text === "string" ? text : undefined;
}

/** Pod template and settings file, which are made and kept together. */
export interface PodInputs {
  readonly template: V1PodTemplateSpec;
  readonly settings: string;
}

/** Reads the last template with which the pod was ready; undefined when there is none. */
export function formerInputs(statefulSet: unknown): PodInputs | undefined {
  const text = ((statefulSet ?? {}) as Annotated).metadata?.annotations?.[annotations.former];
  if (typeof text !== "string" || text.length > 2 * MAX_TEMPLATE_LENGTH) return undefined;
  try {
    const { template, settings } = JSON.parse(text) as Partial<PodInputs>;
    return typeof template === "object" && typeof settings === "string" ? { template, settings } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the input digest in the annotations of a template. */
export function templateDigest(template: V1PodTemplateSpec | undefined): string | undefined {
  const digest = (template as Annotated | undefined)?.metadata?.annotations?.[annotations.settings];
  return typeof digest === "string" ? digest : undefined;
}

/** Returns the time of the restart for which a template was made; undefined without one. */
export function templateRestart(template: V1PodTemplateSpec | undefined): string | undefined {
  const time = (template as Annotated | undefined)?.metadata?.annotations?.[annotations.restart];
  return typeof time === "string" ? time : undefined;
}

/** Returns the later restart of the status and of the applied template, so that a lost status recreates no pod. */
export function latestRestart(
  { node: { status } }: Pick<Member, "node">,
  applied: string | undefined,
): string | undefined {
  const { restartedAt } = status;
  return [restartedAt, applied].filter((time) => time !== undefined).reduce(laterOf, undefined);
}

function laterOf(a: string | undefined, b: string): string {
  return a !== undefined && Date.parse(a) >= Date.parse(b) ? a : b;
}

/** Computes the digest of everything in a Node that its pod is built from, of the node id and of the last restart. */
export function inputDigest({ node: { spec } }: Member, id: string | undefined, restart?: string): string {
  const { type, image, network, rewardAddress, api, p2p, resources, scheduling } = spec;
  const { nodeKeySecret, settings, maintenance, gateway } = spec;
  const startup = [type, image, network, rewardAddress, api, p2p.port, p2p.maxPeers, nodeKeySecret, settings];
  const placement: unknown[] = [resources, scheduling, maintenance.trieCache.onShutdown, gateway];
  // A field that an earlier release did not have counts only if it is set, so that an upgrade recreates no pod.
  const { terminationGracePeriodSeconds: grace, imagePullPolicy, imagePullSecrets, podTemplate } = spec;
  if (grace !== undefined) placement.push(grace);
  const { externalAddress } = p2p;
  const hostPort = p2p.external === "HostPort" ? true : undefined;
  const hosts = exposedHosts(spec);
  const { volumeSnapshot: _source, ...archive } = spec.bootstrap ?? {};
  const bootstrap = Object.values(archive).some((value) => value !== undefined) ? archive : undefined;
  const backup = spec.backup && { credentialsSecret: spec.backup.to.credentialsSecret };
  for (const [name, value] of Object.entries({
    backup,
    imagePullPolicy,
    imagePullSecrets,
    podTemplate,
    externalAddress,
    hostPort,
    bootstrap,
    exposedHosts: hosts.length > 0 ? hosts : undefined,
  }))
    if (value !== undefined) placement.push([name, value]);
  if (restart !== undefined) placement.push(["restart", restart]);
  return createHash("sha256")
    .update(JSON.stringify([startup, placement, id]))
    .digest("hex")
    .slice(0, 16);
}
