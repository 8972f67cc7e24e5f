/** A view of the agreement: `sequence` is the block number, `round` counts the attempts from 0. */
export interface View {
  readonly sequence: number;
  readonly round: number;
}

/** Compares two views: negative when `a` precedes `b`, 0 when they are equal. */
export function compareViews(a: View, b: View): number {
  return a.sequence - b.sequence || a.round - b.round;
}
