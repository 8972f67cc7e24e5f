/**
 * Adds `spec.podTemplate` to the pod template that the operator builds. What the operator owns stays as it is. Items are
 * cast to Kubernetes' own types, because the API server judges them with the pod.
 */
import type {
  V1Affinity,
  V1Container,
  V1EnvVar,
  V1PodSecurityContext,
  V1PodTemplateSpec,
  V1Probe,
  V1SecurityContext,
  V1TopologySpreadConstraint,
  V1Volume,
  V1VolumeMount,
} from "@kubernetes/client-node";
import type { NodeSpec } from "../api/node-spec.ts";

type Additions = NonNullable<NodeSpec["podTemplate"]>;

/** Security context of a container within the Pod Security level `restricted`. */
export function restrictedSecurityContext(): V1SecurityContext {
  return { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
}

/** Returns the template with the additions of a Node. */
export function withAdditions(
  template: V1PodTemplateSpec,
  additions: Additions | undefined,
): V1PodTemplateSpec {
  const { metadata, spec } = template;
  if (additions === undefined || spec === undefined) return template;
  const { runtimeClassName, affinity, securityContext, topologySpreadConstraints: spread } = additions;
  const containers = spec.containers.map((own) => (own.name === "node" ? nodeWith(own, additions) : own));
  return {
    metadata: {
      ...metadata,
      labels: { ...additions.labels, ...metadata?.labels },
      annotations: { ...additions.annotations, ...metadata?.annotations },
    },
    spec: {
      ...spec,
      ...(affinity === undefined ? {} : { affinity: { ...spec.affinity, ...(affinity as V1Affinity) } }),
      ...(spread === undefined
        ? {}
        : {
            topologySpreadConstraints: [
              ...(spread as readonly unknown[] as readonly V1TopologySpreadConstraint[]),
            ],
          }),
      ...(runtimeClassName === undefined ? {} : { runtimeClassName }),
      securityContext: {
        ...spec.securityContext,
        ...(securityContext as V1PodSecurityContext | undefined),
        runAsNonRoot: true,
      },
      initContainers: [...(spec.initContainers ?? []), ...sidecars(additions.initContainers)],
      containers: [...containers, ...sidecars(additions.containers)],
      volumes: [...(spec.volumes ?? []), ...((additions.volumes ?? []) as readonly V1Volume[])],
    },
  };
}

function sidecars(given: Additions["containers"] = []): readonly V1Container[] {
  return (given as readonly unknown[] as readonly V1Container[]).map((each) => ({
    ...each,
    securityContext: each.securityContext ?? restrictedSecurityContext(),
  }));
}

function nodeWith(own: V1Container, { env = [], volumeMounts = [], probes }: Additions): V1Container {
  return {
    ...own,
    env: [...(own.env ?? []), ...(env as readonly V1EnvVar[])],
    volumeMounts: [...(own.volumeMounts ?? []), ...(volumeMounts as readonly V1VolumeMount[])],
    ...probeWith("startupProbe", own, probes?.startup),
    ...probeWith("livenessProbe", own, probes?.liveness),
    ...probeWith("readinessProbe", own, probes?.readiness),
  };
}

type Timing = NonNullable<Additions["probes"]>["startup"];

function probeWith(
  name: "startupProbe" | "livenessProbe" | "readinessProbe",
  own: V1Container,
  timing: Timing,
): { readonly [name: string]: V1Probe } {
  const known = own[name];
  if (known === undefined || timing === undefined) return {};
  const given = Object.entries(timing).filter(([, value]) => value !== undefined);
  return { [name]: { ...known, ...Object.fromEntries(given) } };
}
