/** The volumes of a pod as directories, and its paths in texts moved to them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Cluster } from "./cluster.ts";

/** A container of a pod. */
export interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly lifecycle?: { readonly preStop?: { readonly exec?: { readonly command: readonly string[] } } };
  /** `Always` makes a sidecar of an init container. */
  readonly restartPolicy?: string;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Item {
  readonly key: string;
  readonly path: string;
}

interface Volume {
  readonly name: string;
  readonly emptyDir?: object;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly configMap?: { readonly name: string; readonly items?: readonly Item[] };
  readonly secret?: { readonly secretName: string; readonly items?: readonly Item[] };
  readonly projected?:
    | {
        readonly sources: readonly {
          readonly secret?: { readonly name: string; readonly items?: readonly Item[] };
        }[];
      }
    | undefined;
}

/** A pod as it is played. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly volumes?: readonly Volume[];
  };
}

/** Volumes that are there. */
export interface PlacedVolumes {
  directory(name: string): string;
  /** A text of this container with its mounts' paths moved. */
  moved(container: Container, text: string): string;
}

/** Writes the volumes of a pod below `directory`; claims outlive their pods. Texts of ConfigMaps pass `adapt`. */
export async function placeVolumes(
  cluster: Cluster,
  pod: Pod,
  directory: string,
  adapt: (text: string) => string,
): Promise<PlacedVolumes> {
  const places = new Map<string, string>();
  for (const { name, persistentVolumeClaim: claim } of pod.spec.volumes ?? []) {
    const place = claim === undefined ? join(directory, name) : join(directory, "..", claim.claimName);
    mkdirSync(place, { recursive: true });
    places.set(name, place);
  }
  const place = (name: string): string => places.get(name) ?? join(directory, name);
  const moved = ({ volumeMounts = [] }: Container, text: string): string =>
    volumeMounts
      .toSorted((a, b) => b.mountPath.length - a.mountPath.length)
      .reduce((result, { name, mountPath }) => result.replaceAll(mountPath, place(name)), text);
  const everywhere: Container = {
    name: "",
    volumeMounts: [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap(
      (each) => each.volumeMounts ?? [],
    ),
  };
  for (const volume of pod.spec.volumes ?? []) {
    for (const [path, text] of await filesOf(cluster, pod.metadata.namespace, volume)) {
      const content = volume.name === "settings" ? adapt(moved(everywhere, text)) : text;
      const file = join(place(volume.name), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content, { mode: 0o600 });
    }
  }
  return { directory: place, moved };
}

async function filesOf(
  cluster: Cluster,
  namespace: string,
  volume: Volume,
): Promise<readonly [string, string][]> {
  if (volume.projected !== undefined) {
    const secrets = volume.projected.sources.flatMap(({ secret }) => secret ?? []);
    const parts = secrets.map((secret) => ({
      ...volume,
      projected: undefined,
      secret: { ...secret, secretName: secret.name },
    }));
    return (await Promise.all(parts.map((part) => filesOf(cluster, namespace, part)))).flat();
  }
  const name = volume.configMap?.name ?? volume.secret?.secretName;
  if (name === undefined) return [];
  const kind = volume.configMap === undefined ? "secret" : "configmap";
  const { data } = await cluster.get<{ data: Record<string, string> }>("-n", namespace, kind, name);
  const items =
    (volume.configMap ?? volume.secret)?.items ?? Object.keys(data).map((key) => ({ key, path: key }));
  return items.flatMap(({ key, path }) => {
    const value = data[key];
    if (value === undefined) return []; // of an optional one
    return [[path, kind === "secret" ? Buffer.from(value, "base64").toString("utf8") : value]];
  });
}
