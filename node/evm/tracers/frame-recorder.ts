/** Records the frames of one transaction as a list in the order in which they began, for flat traces and indexes. */
import type { FrameEnd, FrameStart, Tracer } from "../tracer.ts";

/** One frame, or a SELFDESTRUCT. */
export interface RecordedFrame {
  readonly start: FrameStart;
  /** The positions of the frame and of its callers among the frames of their caller; empty for the outermost. */
  readonly path: readonly number[];
  /** Number of frames that the frame began itself. */
  readonly children: number;
  /** Undefined while the frame runs. */
  readonly end: FrameEnd | undefined;
  /** True when the frame, or one that called it, failed, so that its changes are undone. */
  readonly isUndone: boolean;
}

/** A tracer with its frames. */
export interface FrameRecorder {
  readonly tracer: Tracer;
  readonly frames: readonly RecordedFrame[];
}

interface OpenFrame extends RecordedFrame {
  children: number;
  end: FrameEnd | undefined;
  isUndone: boolean;
  /** Position in the list. */
  readonly at: number;
}

/** Creates a recorder for one transaction. Calls of precompiled contracts are left out, but for the outermost one. */
export function createFrameRecorder(): FrameRecorder {
  const frames: OpenFrame[] = [];
  const open: (OpenFrame | undefined)[] = [];
  return {
    frames,
    tracer: {
      enter: (start) => {
        const caller = open.at(-1);
        if (caller !== undefined && start.isPrecompile) {
          open.push(undefined);
          return;
        }
        const path = caller === undefined ? [] : [...caller.path, caller.children++];
        const frame = { start, path, children: 0, end: undefined, isUndone: false, at: frames.length };
        frames.push(frame);
        open.push(frame);
      },
      exit: (end) => {
        const frame = open.pop();
        if (frame === undefined) return;
        frame.end = end;
        if (end.failure !== undefined) for (const each of frames.slice(frame.at)) each.isUndone = true;
      },
    },
  };
}
