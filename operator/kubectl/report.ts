/**
 * `kubectl knit report`: what a maintainer needs to understand a trouble, as one JSON document. Secrets are not read, and
 * values that may be secret are removed from everything else.
 */
import { labels } from "../api/names.ts";
import { keyOf, readMeta } from "../api/resource.ts";
import type { KubeClient } from "../kube/client.ts";
import { isKubeError, KubeError } from "../kube/error.ts";
import { type Kind, kinds } from "../kube/resources.ts";
import { messageOf } from "../observe/message-of.ts";
import { listObjects } from "./read.ts";
import { redactObject, redactText } from "./redact.ts";

/** Kinds of a report, with the selector of the operator's objects where there are others. Secrets are none of them. */
const OWN = `${labels.name}=knit`;
const CONTENT: readonly (readonly [Kind, string | undefined])[] = [
  [kinds.network, undefined],
  [kinds.node, undefined],
  [kinds.statefulSet, OWN],
  [kinds.pod, OWN],
  [kinds.service, OWN],
  [kinds.configMap, OWN],
  [kinds.claim, OWN],
  [kinds.networkPolicy, OWN],
  [kinds.disruptionBudget, OWN],
  [kinds.event, undefined],
];

/** Containers whose logs are part of a report. */
const CONTAINERS = ["node", "gateway", "genesis"] as const;
const MAX_PODS = 64;
const MAX_LOG = 256 * 1024;

/** Inputs of a report. */
export interface ReportOptions {
  readonly client: Pick<KubeClient, "page" | "log">;
  readonly namespace: string;
  /** Version of the plugin. */
  readonly version: string;
  /** Time of the report, RFC 3339. */
  readonly time: string;
  /** Lines of each log. */
  readonly tailLines: number;
}

/** Collects the report. Kinds and logs that may not be read are replaced by the error. Throws `KubeError`. */
export async function collectReport(options: ReportOptions): Promise<string> {
  const { client, namespace, version, time } = options;
  const objects: Record<string, unknown> = {};
  for (const [kind, selector] of CONTENT)
    objects[kind.plural] = await orError(async () => {
      const found = await listObjects(client, kind, namespace, selector);
      return found.map((object) => redactObject(withoutManagers(object)));
    });
  const logs = await logsOf(objects[kinds.pod.plural], options);
  return `${JSON.stringify({ version, time, namespace, objects, logs }, undefined, 2)}\n`;
}

async function logsOf(pods: unknown, options: ReportOptions): Promise<Readonly<Record<string, unknown>>> {
  const names = Array.isArray(pods) ? pods.map((object) => readMeta(object).name).slice(0, MAX_PODS) : [];
  const wanted = names.flatMap((name) =>
    CONTAINERS.flatMap((container) => [false, true].map((previous) => ({ name, container, previous }))),
  );
  const logs: Record<string, unknown> = {};
  for (const log of wanted) {
    const text = await orError(() => readLog(log, options));
    const isAbsent = log.previous && !Array.isArray(text); // few containers have restarted
    if (!isAbsent) logs[`${log.name}/${log.container}${log.previous ? "/previous" : ""}`] = text;
  }
  return logs;
}

async function readLog(
  {
    name,
    container,
    previous,
  }: { readonly name: string; readonly container: string; readonly previous: boolean },
  { client, namespace, tailLines }: ReportOptions,
): Promise<readonly string[]> {
  const query = { container, tailLines, previous };
  let text = "";
  for await (const chunk of client.log({ namespace, name }, query, new AbortController().signal))
    text = `${text}${chunk}`.slice(-MAX_LOG);
  return redactText(text)
    .split("\n")
    .filter((line) => line !== "");
}

async function orError(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    if (isKubeError(error, "unreachable") || isKubeError(error, "unauthorized")) throw error;
    if (error instanceof KubeError) return { error: messageOf(error) };
    throw error;
  }
}

/** Removes what tools wrote about the writes themselves. */
function withoutManagers(object: unknown): unknown {
  const { metadata, ...rest } = object as { readonly metadata?: Readonly<Record<string, unknown>> };
  const { managedFields: _fields, ...kept } = metadata ?? {};
  const noted = Object.entries((kept["annotations"] ?? {}) as Readonly<Record<string, unknown>>).filter(
    ([name]) => name !== "kubectl.kubernetes.io/last-applied-configuration",
  );
  return { ...rest, metadata: { ...kept, annotations: Object.fromEntries(noted) } };
}

/** Returns the name of the file for a report. */
export function reportName({ namespace, time }: Pick<ReportOptions, "namespace" | "time">): string {
  return `knit-report-${keyOf({ namespace, name: time }).replaceAll(/[^\w.-]/g, "-")}.json`;
}
