/** Fingerprints of Nodes: texts that differ when a change is relevant to the Node itself, or to its peers. */
import type { NodeStatus } from "../api/node-status.ts";
import type { NodeResource } from "../api/resource.ts";

/** Returns a text of a Node without figures, which change with every block. */
export function nodeFingerprint({ meta, spec, status }: NodeResource): string {
  const { resourceVersion: _version, ...others } = meta;
  return JSON.stringify([others, spec, statusWithoutFigures(status)]);
}

/** Returns a text of the fields on which the peers of a Node depend. */
export function peerFingerprint(node: NodeResource | undefined): string {
  const urls = node?.status.members?.map(({ name, url, validator }) => [name, url, validator]);
  const { maintenance, rollout, phase } = node?.status ?? {};
  return JSON.stringify([
    node?.meta.deleted,
    phase === "Deleting",
    urls,
    maintenance?.state,
    rollout?.member,
    rollout?.state,
  ]);
}

/** Removes figures from a status: heights and used bytes. */
export function statusWithoutFigures({ height: _height, members, ...others }: NodeStatus): object {
  const steady = members?.map(({ height: _own, disk, ...member }) => ({
    ...member,
    disk: disk && { ...disk, usedBytes: undefined },
  }));
  return { ...others, members: steady };
}
