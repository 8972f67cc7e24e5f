/**
 * Which pod template a member's StatefulSet gets. What a Node asks for has a digest; as long as it is the one that was
 * written last, the template stays as it was written then, so that another release of the operator, with another
 * gateway's image or another way to build pods, starts no node anew.
 */
import { createHash } from "node:crypto";
import { annotations } from "../api/names.ts";
import type { Part } from "../api/resource.ts";
import type { Member } from "./names.ts";

interface Written {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> | null } | null;
}

const MOST_CHARACTERS = 65_536;

/** The template that was written last; undefined when none was or it cannot be read. */
export function writtenTemplate(statefulSet: unknown): Part | undefined {
  const text = ((statefulSet ?? {}) as Written).metadata?.annotations?.[annotations.template];
  if (typeof text !== "string" || text.length > MOST_CHARACTERS) return undefined;
  try {
    const template: unknown = JSON.parse(text);
    return typeof template === "object" && template !== null ? (template as Part) : undefined;
  } catch {
    return undefined;
  }
}

/** The digest in a template. */
export function digestOf(template: Part | undefined): string | undefined {
  const digest = (template as Written | undefined)?.metadata?.annotations?.[annotations.settings];
  return typeof digest === "string" ? digest : undefined;
}

/** Of everything in a Node that its pod is made from, and of the key: another digest starts the member anew. */
export function inputDigest({ node: { spec } }: Member, id: string | undefined): string {
  const { type, image, network, rewardAddress, api, p2p, resources, scheduling } = spec;
  const { nodeKeySecret, settings, maintenance, gateway } = spec;
  const started = [type, image, network, rewardAddress, api, p2p.port, p2p.maxPeers, nodeKeySecret, settings];
  const placed = [resources, scheduling, maintenance.trieCache.onShutdown, gateway];
  return createHash("sha256")
    .update(JSON.stringify([started, placed, id]))
    .digest("hex")
    .slice(0, 16);
}
