/** A member's key: an address that was noted once is kept, and a missing or another key is never a reason for a new one. Pure. */
import { allowCommand, type Stop } from "./stop.ts";

/** What is known of a key. */
export interface KeyView {
  /** The Node, for the command that people may need. */
  readonly node: string;
  /** The Secret with the key. */
  readonly secret: string;
  /** The address that the status of the Node, or of its Network for a validator of block 0, names; undefined before. */
  readonly noted: string | undefined;
  /** The address of the key that is there; empty when what is there is no key, undefined when there is nothing. */
  readonly found: string | undefined;
  /** The new key is allowed by annotation. */
  readonly isAllowed: boolean;
  /** `absent`: no pod. `noted`: it runs with the noted key as far as is known. `other`: it does not, or may not soon. */
  readonly pod: "absent" | "noted" | "other";
}

/** `use`: the key that is there. `make`: there is none, and may be a new one. */
export type KeyPlan = "use" | "make" | Stop;

/** Decides about a key. */
export function planKey(view: KeyView): KeyPlan {
  const { noted, found, isAllowed } = view;
  if (found === undefined) return noted === undefined || isAllowed ? "make" : lostKey(view, noted);
  return noted === undefined || found === noted || (isAllowed && found !== "")
    ? "use"
    : changedKey(view, noted);
}

/** A pod that has read its key goes on with it, and its container may start anew with the files that it has. */
function lostKey({ node, secret, pod }: KeyView, noted: string): Stop {
  return {
    reason: "NodeKeyLost",
    message: `the Secret ${secret} with the key of ${noted} is gone: put it back from a copy. Only to give ${noted} up for a new key: ${allowCommand("kn", node, "new-key")}`,
    pod: pod === "absent" ? "ends" : "stays",
  };
}

/** A pod that starts would read the other key. */
function changedKey({ node, secret, found, pod }: KeyView, noted: string): Stop {
  const gives = found === "" ? "holds no private key of 64 hex digits" : `holds the key of ${found}`;
  return {
    reason: "NodeKeyChanged",
    message: `the Secret ${secret} ${gives}, and this node is ${noted}: put the key of ${noted} back. Only to give ${noted} up for the key that is there: ${allowCommand("kn", node, "new-key")}`,
    pod: pod === "noted" ? "stays" : "ends",
  };
}
