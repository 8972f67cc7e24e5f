/**
 * Compares the definitions that the cluster serves with those of this version. A field that the cluster does not know is
 * dropped when a resource is written, without an error to its author.
 */
import { definitions } from "../api/definition.ts";
import { GROUP, VERSION } from "../api/names.ts";
import type { KubeClient } from "../kube/client.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";

/** Options of the check. */
export interface DefinitionCheckOptions {
  readonly client: Pick<KubeClient, "openApi">;
  readonly intervalMs: number;
  readonly log: Log;
}

/** A check that repeats. Disposing it ends the repetition. */
export interface DefinitionCheck extends AsyncDisposable {
  /** Returns the number of fields that the cluster does not serve; undefined before the first answer. */
  missing(): number | undefined;
}

/** Checks once, then every `intervalMs`. */
export async function openDefinitionCheck(options: DefinitionCheckOptions): Promise<DefinitionCheck> {
  let missing: number | undefined;
  const check = async (): Promise<void> => {
    const known = await checkOnce(options, missing);
    missing = known ?? missing;
  };
  let running = check();
  await running;
  const timer = setInterval(() => {
    running = running.then(check);
  }, options.intervalMs);
  return {
    missing: () => missing,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}

async function checkOnce(
  { client, log }: DefinitionCheckOptions,
  before: number | undefined,
): Promise<number | undefined> {
  try {
    const fields = missingFields(await client.openApi(`apis/${GROUP}/${VERSION}`));
    if (fields.length > 0 && fields.length !== before)
      log.warn(
        { fields: fields.slice(0, 10), count: fields.length },
        "the definitions in the cluster are older than the operator: apply crds/ or helm upgrade with crds.upgrade",
      );
    return fields.length;
  } catch (error) {
    log.warn({ error: messageOf(error) }, "the definitions in the cluster cannot be read");
    return undefined;
  }
}

type Properties = Readonly<Record<string, unknown>>;

/** Lists the fields of this version that a document of the API server lacks, such as `Node.spec.podTemplate`. */
export function missingFields(document: unknown): readonly string[] {
  const schemas = Object.values(memberOf(memberOf(document, "components"), "schemas"));
  return definitions.flatMap(({ spec }) => {
    const served = schemas.find((schema) => isOfKind(schema, spec.names.kind));
    const own = spec.versions[0]?.schema.openAPIV3Schema;
    return lackingIn(own, served, spec.names.kind);
  });
}

function lackingIn(own: unknown, served: unknown, path: string): readonly string[] {
  if (path.split(".").length > 1 && served === undefined) return [path];
  const members = Object.entries(memberOf(own, "properties"));
  const theirs = memberOf(served, "properties");
  const items = memberOf(own, "items");
  const inner = members
    .filter(([name]) => !ALWAYS.has(`${path}.${name}`.replace(/^\w+\./, "")))
    .flatMap(([name, member]) => lackingIn(member, theirs[name], `${path}.${name}`));
  const ofItems =
    Object.keys(items).length > 0 ? lackingIn(items, memberOf(served, "items"), `${path}[]`) : [];
  return [...inner, ...ofItems];
}

/** Fields of every resource, whose schemas the server refers to elsewhere. */
const ALWAYS = new Set(["apiVersion", "kind", "metadata"]);

function isOfKind(schema: unknown, kind: string): boolean {
  const kinds = (schema as Properties | undefined)?.["x-kubernetes-group-version-kind"];
  return (
    Array.isArray(kinds) && kinds.some((each: unknown) => (each as Properties | null)?.["kind"] === kind)
  );
}

function memberOf(value: unknown, name: string): Properties {
  const member = (value as Properties | undefined)?.[name];
  return typeof member === "object" && member !== null ? (member as Properties) : {};
}
