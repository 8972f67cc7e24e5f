/** A place in the agreement: `sequence` is the number of the block, rounds count the attempts at it from 0. */
export interface View {
  readonly sequence: number;
  readonly round: number;
}

/** Negative when `a` comes before `b`, 0 when they are the same. */
export function compareViews(a: View, b: View): number {
  return a.sequence - b.sequence || a.round - b.round;
}
