/** The node itself: its pod, and what it told last. */
import { objectNames } from "../build/names.ts";
import type { Context } from "./context.ts";
import { peerUrl } from "./node-key.ts";
import { failWith, goOn, type Outcome, waitFor } from "./outcome.ts";
import { type PodView, readPod } from "./pod-view.ts";

/** A node that did not answer is asked again after so long. */
const LOOK_AGAIN_MS = 2_500;

/** Waits for the pod; notes the URL as soon as it can be said. */
export function podStep(context: Context): Outcome {
  const { node, around, facts } = context;
  const seen = around.find("pod", `${node.meta.namespace}/${objectNames(node.meta.name).pod}`);
  const view = seen === undefined || seen.meta.deleted ? undefined : readPod(seen.object);
  if (facts.identity !== undefined) {
    const url = peerUrl(node, facts.identity, around, view?.address);
    context.status = { ...context.status, url: url ?? context.status.url };
  }
  if (view === undefined) return waitFor("PodMissing", "the pod is being made");
  facts.pod = view;
  if (view.address === undefined) return waitFor("PodPending", view.trouble);
  return goOn;
}

/** Waits until the node has answered from the pod that there is now. */
export function answerStep(context: Context): Outcome {
  const { key, around, facts } = context;
  const observation = around.observed(key);
  const view = facts.pod ?? { address: undefined, ready: false, trouble: "" };
  if (observation === undefined || observation.address !== view.address) {
    around.look(key);
    return notReady(view, "NotAsked", "the node is being asked");
  }
  const now = around.clock.now();
  if (!observation.ok) {
    if (now - observation.at >= LOOK_AGAIN_MS) around.look(key);
    return notReady(view, observation.reason, observation.message);
  }
  if (observation.id !== facts.identity?.id) {
    return failWith("WrongNode", `another node answers there: ${observation.id.slice(0, 16)}`);
  }
  if (now > observation.until) return waitFor("NoAnswer", "the node has not answered for long");
  facts.told = observation;
  const { height, syncing, version, peers } = observation;
  context.status = { ...context.status, height, syncing, version, peers: peers.size };
  return goOn;
}

/** While the pod itself says that it is not ready, that is the reason. */
function notReady({ ready, trouble }: PodView, reason: string, message: string): Outcome {
  return ready ? waitFor(reason, message, LOOK_AGAIN_MS) : waitFor("PodNotReady", trouble, LOOK_AGAIN_MS);
}

/** Waits for the pod's own word that it is ready. */
export function readyStep({ facts }: Context): Outcome {
  return facts.pod?.ready ? goOn : waitFor("PodNotReady", facts.pod?.trouble ?? "");
}
