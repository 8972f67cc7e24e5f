/**
 * Node key of a member. A recorded address is permanent: a missing or different key is never replaced by a
 * new one. Pure.
 */
import { allowCommand, type Stop } from "./stop.ts";

/** Observed state of a key. */
export interface KeyView {
  /** Name of the Node, for the command in the message. */
  readonly node: string;
  /** Secret with the key. */
  readonly secret: string;
  /**
   * Address that the status of the Node, or of the Network for a validator of the genesis, records; undefined
   * before.
   */
  readonly recorded: string | undefined;
  /** Address of the existing key; empty for an invalid key, undefined for none. */
  readonly found: string | undefined;
  /** True when an annotation permits another key. */
  readonly isAllowed: boolean;
  /**
   * `absent`: no pod. `noted`: the pod runs with the recorded key, as far as is known. `other`: it does not,
   * or may not after a restart. `misread`: it was made for the recorded key, and its node reports another one.
   */
  readonly pod: "absent" | "recorded" | "other" | "misread";
}

/** `use`: the existing key. `make`: a new one. */
export type KeyPlan = "use" | "make" | Stop;

/** Decides on the key of a member. */
export function planKey(view: KeyView): KeyPlan {
  const { recorded, found, isAllowed, pod } = view;
  if (recorded !== undefined && found === recorded && pod === "misread") return misreadKey(view, recorded);
  if (found === undefined) return recorded === undefined || isAllowed ? "make" : lostKey(view, recorded);
  return recorded === undefined || found === recorded || (isAllowed && found !== "")
    ? "use"
    : changedKey(view, recorded);
}

/** A running pod keeps the key that it has read, and a restarted container the files of its pod. */
function lostKey({ node, secret, pod }: KeyView, recorded: string): Stop {
  return {
    reason: "NodeKeyLost",
    message: `the Secret ${secret} with the key of ${recorded} is missing. Restore it from a copy. To replace ${recorded} by a new key: ${allowCommand("kn", node, "new-key")}`,
    pod: pod === "absent" ? "ends" : "stays",
  };
}

/** A starting pod would read the other key. */
function changedKey({ node, secret, found, pod }: KeyView, recorded: string): Stop {
  const gives = found === "" ? "contains no private key of 64 hex digits" : `contains the key of ${found}`;
  return {
    reason: "NodeKeyChanged",
    message: `the Secret ${secret} ${gives}, but the recorded address is ${recorded}. Restore the key of ${recorded}. To replace ${recorded} by the key in the Secret: ${allowCommand("kn", node, "new-key")}`,
    pod: pod === "recorded" ? "stays" : "ends",
  };
}

/** The Secret held another key when the pod started. The pod is recreated with the present one. */
function misreadKey({ secret }: KeyView, recorded: string): Stop {
  return {
    reason: "NodeKeyChanged",
    message: `the pod has read another key from the Secret ${secret}, which contains the key of ${recorded} again. The pod is being recreated`,
    pod: "ends",
  };
}
